import pytest

from agent.quoting.specifics.missing import missing_specifics

EVIDENCE = "ERR_4032 余额不足。第四十六条 经济补偿。2024 年起执行 V2。上海每晚 500 元。FY25 dates. GB/T 7714-2015"


@pytest.mark.parametrize(
    "question",
    [
        "ERR_4032 是什么意思？",
        "err-4032是什么",
        "ｅｒｒ ４０３２？",
        "第46条怎么规定的？",
        "第四十六条怎么规定的？",
        "2024 年的标准",
        "V2 的住宿标准",
        "上海每晚多少？",
        "GB/T 7714 怎么写？",
        "What changed in FY25?",
        "住宿 1500 元能报吗？",
        "Can I change it after the first 30 days?",
        "把东西弄丢了怎么办？新旧两版有什么不同？",
        "中国法定节假日有几天？",
        "within 3 days?",
        "公司的 APP 和 fy 有什么用？",
    ],
)
def test_nothing_is_missing(question: str) -> None:
    assert missing_specifics(question, [EVIDENCE]) == []


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("ERR_4999 是什么意思？", ["ERR_4999"]),
        ("err 4032 和 ERR_4033", ["ERR_4033"]),
        ("第四十七条怎么规定的？", ["第47条"]),
        ("2019 年的标准", ["2019"]),
        ("V3 的住宿标准", ["V3"]),
        ("What changed in FY23?", ["FY23"]),
        ("leave code 999?", ["999"]),
        ("GDPR 怎么规定的？", ["GDPR"]),
    ],
)
def test_missing_terms_are_named_as_they_were_written(question: str, missing: list[str]) -> None:
    assert missing_specifics(question, [EVIDENCE]) == missing


def test_another_language_has_other_words_for_articles() -> None:
    assert missing_specifics("第四十六条怎么规定的？", ["Article 46. Compensation."]) == []
    assert missing_specifics("ERR_4033 是什么？", ["ERR_4032 means no balance."]) == ["ERR_4033"]
