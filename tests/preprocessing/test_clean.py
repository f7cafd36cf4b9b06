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
        ("paragraph", "（全角）ＡＢＣ　１２３", "（全角）ＡＢＣ　１２３"),
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
