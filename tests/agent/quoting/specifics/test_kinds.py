import pytest

from agent.quoting.specifics.missing import missing_specifics


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
    assert missing_specifics(question, [evidence]) == missing
