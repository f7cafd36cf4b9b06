import pytest

from preprocessing.clean import clean
from preprocessing.document import Block, BlockKind


@pytest.mark.parametrize(
    ("kind", "text", "cleaned"),
    [
        ("paragraph", "co\u00adoperate\u200b\ufeff \x07now", "cooperate now"),
        ("paragraph", "a    b\t\tc  ", "a b c"),
        ("paragraph", "一\n\n\n\n二", "一\n\n二"),
        ("paragraph", "一\n----------\n二", "一\n\n二"),
        ("paragraph", "（全角）ＡＢＣ　１２３％，", "（全角）ABC　123％，"),
        ("paragraph", "型号ＡＢＣ－１２３４，３．５米，Ａ／Ｂ－２", "型号ABC-1234，3.5米，A/B-2"),
        ("paragraph", "甲－乙，ＡＢＣ－甲，－５", "甲－乙，ABC－甲，－5"),
        ("paragraph", "\uf0b7 一\n\uf0d8二\ue123", "• 一\n• 二"),
        (
            "paragraph",
            '{% page %}加班{% alert a="1" %}须批准{%endalert%}，{{< ref >}}见 `{% raw %}`',
            "加班须批准，见 `{% raw %}`",
        ),
        ("paragraph", "占 5% 与 {甲}，{{ 名 }}", "占 5% 与 {甲}，{{ 名 }}"),
        ("table", "| Ａ１ | 二\ue000 |", "| A1 | 二 |"),
        ("paragraph", "- 5 °C", "- 5 °C"),
        ("list", "- a\n    - b", "- a\n    - b"),
        ("code", "```\nx  =  1\n```", "```\nx  =  1\n```"),
        ("table", "|  a  | b |\n|---|---|\n| 1 | |", "| a | b |\n|---|---|\n| 1 | |"),
    ],
)
def test_cleans_text(kind: BlockKind, text: str, cleaned: str) -> None:
    assert clean([Block(kind, text)]) == [Block(kind, cleaned)]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("paragraph", " \u200b "),
        ("paragraph", "* * *"),
        ("heading", "——"),
        ("table", "| | |\n|---|---|\n| | |"),
        ("code", "```py\n\n```"),
    ],
)
def test_blocks_that_say_nothing_are_left_out(kind: BlockKind, text: str) -> None:
    assert clean([Block(kind, text)]) == []
