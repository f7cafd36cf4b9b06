import pytest

from retrieval.text.writing import (
    Language,
    codes_in,
    fold_ordinals,
    folded,
    is_code,
    language_of,
    simplified,
    to_decimal,
    to_int,
)


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
    ("text", "codes"),
    [
        ("ERR_4032怎么处理", ["ERR_4032"]),
        ("按 GB/T 7714-2015 与 ISO 9001 执行", ["GB/T 7714-2015", "ISO 9001"]),
        ("Since v2.3.1 the error pay-3300 is gone.", ["v2.3.1", "pay-3300"]),
        ("the first 30 days, 5GB, 2nd, 30km/h and 2024-03-01", []),
        ("no codes here, and/or well-known", []),
        ("PPR-9087.", ["PPR-9087"]),
    ],
)
def test_codes_in(text: str, codes: list[str]) -> None:
    assert codes_in(text) == codes


def test_a_token_is_a_code_with_a_letter_and_a_digit() -> None:
    assert [token for token in ("err_4032", "第46条", "4032", "年假", "v2") if is_code(token)] == [
        "err_4032",
        "第46条",
        "v2",
    ]


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
    ("numeral", "value"),
    [
        *(("零", "0"), ("十", "10"), ("十二", "12"), ("四十六", "46"), ("一百零五", "105"), ("一千二百", "1200")),
        *(("三万零五十", "30050"), ("一亿二千万", "120000000"), ("二〇二四", "2024"), ("一百一十", "110")),
        *(("二万万", "200000000"), ("两万", "20000"), ("三点五", "3.5"), ("十二点零六", "12.06")),
        *(("一百点五〇", "100.50"), ("零点二五", "0.25")),
    ],
)
def test_the_value_of_a_numeral(numeral: str, value: str) -> None:
    assert str(to_decimal(numeral)) == value


@pytest.mark.parametrize("text", ["", "四十六条", "46", "三点", "点五", "三点十", "三点五点六", "3.5"])
def test_other_text_is_no_numeral(text: str) -> None:
    for read in (to_int, to_decimal):
        with pytest.raises(ValueError, match="not a Chinese numeral"):
            read(text)


def test_fold_ordinals_touches_articles_only() -> None:
    assert fold_ordinals("第四十六条和第二章，第一次，一百元") == "第46条和第2章，第一次，一百元"
