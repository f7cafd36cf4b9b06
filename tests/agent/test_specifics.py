import pytest

from agent.specifics import missing_specifics

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
    ],
)
def test_nothing_is_missing(question: str) -> None:
    assert missing_specifics(question, EVIDENCE) == []


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("ERR_4999 是什么意思？", ["ERR_4999"]),
        ("err 4032 和 ERR_4033", ["ERR_4033"]),
        ("第四十七条怎么规定的？", ["第47条"]),
        ("2019 年的标准", ["2019"]),
        ("V3 的住宿标准", ["V3"]),
        ("武汉每晚多少？", ["武汉"]),
        ("What changed in FY23?", ["FY23"]),
        ("leave code 999?", ["999"]),
    ],
)
def test_missing_terms_are_named_as_they_were_written(question: str, missing: list[str]) -> None:
    assert missing_specifics(question, EVIDENCE) == missing


@pytest.mark.parametrize(
    ("question", "evidence", "missing"),
    [
        ("探亲假多少天", "满一年，年假 12 天。", ["探亲假"]),
        ("病假工资怎么算", "满一年，年假 12 天。", ["病假"]),
        ("年假多少天", "满一年，带薪年休假 12 天。", []),
        ("年休假多少天", "满一年，年假 12 天。", []),
        ("婚假多少天", "结婚的可休婚嫁假 3 天，丧假 3 天。", []),
        ("工伤险谁交", "养老保险由单位和个人缴纳。", ["工伤险"]),
        ("工伤险谁交", "工伤保险由单位缴纳。", []),
        # Where no kind of it is spoken of, the words differ and nothing is known to be missing.
        ("病假工资怎么算", "生病期间按八成发放工资。", []),
        ("How many days of home leave?", "Annual leave is 12 days.", ["home leave"]),
        ("How many days of annual leave?", "Annual paid leave is 12 days.", []),
        ("How much leave do I get?", "Annual leave is 12 days.", []),
        ("How many days of home leave?", "年假 12 天。", []),
    ],
)
def test_another_kind_of_the_same_thing_is_no_answer(question: str, evidence: str, missing: list[str]) -> None:
    assert missing_specifics(question, evidence) == missing
