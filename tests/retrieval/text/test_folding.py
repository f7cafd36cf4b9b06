import pytest

from retrieval.text.folding import Language, fold_ordinals, folded, language_of, simplified, to_decimal, to_int


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("資訊安全與頭髮、發展", "资讯安全与头发、发展"),
        ("简体不变，ＡＢＣ１２３", "简体不变，ＡＢＣ１２３"),
        ("No Chinese: café", "No Chinese: café"),
        ("年\0假\n後", "年\0假\n后"),
        ("年假\ud800", "年假?"),
        ("", ""),
    ],
)
def test_traditional_becomes_simplified_and_nothing_else_changes(text: str, expected: str) -> None:
    assert simplified(text) == expected


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("年假一共有多少天？", "zh"),
        ("GC overhead limit exceeded 怎么办", "zh"),
        ("How many days of leave are there?", "en"),
        ("Ms Wang (王) is responsible for the leave requests of every office in the city.", "en"),
        ("1234", "en"),
    ],
)
def test_language_of(text: str, language: Language) -> None:
    assert language_of(text) == language


def test_folded_width_and_case() -> None:
    assert folded("ＥＲＲ＿4032 Ⅳ ﬁne") == "err_4032 iv fine"


@pytest.mark.parametrize(
    ("numeral", "value"),
    [
        *(("零", 0), ("十", 10), ("十二", 12), ("四十六", 46), ("一百零五", 105), ("一千二百", 1200), ("两万", 20_000)),
        *(("三万零五十", 30_050), ("一亿二千万", 120_000_000), ("二〇二四", 2024), ("一百一十", 110)),
        ("二万万", 200_000_000),
    ],
)
def test_to_int(numeral: str, value: int) -> None:
    assert to_int(numeral) == value


@pytest.mark.parametrize(
    ("numeral", "value"),
    [("三点五", "3.5"), ("十二点零六", "12.06"), ("一百点五〇", "100.50"), ("零点二五", "0.25"), ("两万", "20000")],
)
def test_to_decimal(numeral: str, value: str) -> None:
    assert str(to_decimal(numeral)) == value


def test_fold_ordinals_touches_articles_only() -> None:
    assert fold_ordinals("第四十六条和第二章，第一次，一百元") == "第46条和第2章，第一次，一百元"
