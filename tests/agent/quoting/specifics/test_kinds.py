import pytest

from agent.quoting.specifics.kinds import is_of_other_kind
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
        # Other words for the same kind, and what is said of all kinds.
        ("婚假和产假能一起休吗？", "各类假期可以合并使用，但年假不得与病假连休。", []),
        ("带薪假有哪些？", "员工享有年假、婚假、产假。", []),
        ("陪产假几天？", "男员工享受护理假 15 天，年假另计。", []),
        ("医疗保险报销多少？", "医保报销 80%；商业保险另报 10%。", []),
        ("How much vacation leave do I get?", "Annual leave is 15 days.", []),
        ("How much annual leave do I get?", "Staff get 15 days of paid leave.", []),
        ("How long is medical leave?", "Annual leave is 15 days.", ["medical leave"]),
        ("How do I enroll in pet insurance?", "Dental insurance covers two visits.", ["pet insurance"]),
        ("Do I need insurance?", "Dental insurance covers two visits.", []),
        # To leave is no leave.
        ("May Ann leave early?", "All guests leave the building by 6 pm.", []),
        ("When must visitors leave?", "All guests leave the building by 6 pm.", []),
        ("Is there a meal allowance?", "Meals: 100 yuan a day; the hotel allowance is 400.", []),
    ],
)
def test_another_kind_of_the_same_thing_is_no_answer(question: str, evidence: str, missing: list[str]) -> None:
    assert missing_specifics(question, [evidence]) == missing


@pytest.mark.parametrize(
    ("question", "heading", "text", "other"),
    [
        ("婚假工资怎么发？", "休假制度 > 事假", "事假期间不发工资。", True),
        ("婚假工资怎么发？", "休假制度 > 病假", "按八成发放工资。", True),
        ("婚假工资怎么发？", "休假制度 > 婚假", "按事假的规定发放工资。", False),
        ("婚假工资怎么发？", "休假制度", "年假、婚假、产假期间工资照发。", False),
        ("婚假工资怎么发？", "休假制度", "休假期间工资照发。", False),
        ("年假多少天？", "休假制度", "带薪年休假为 12 天。", False),
        ("假期多少天？", "休假制度", "年假为 12 天。", False),
        ("How long is parental leave?", "Leave > Sick leave", "Sick leave is paid for 10 days.", True),
        ("How long is parental leave?", "Leave > Parental leave", "It is 12 weeks.", False),
        ("How long is parental leave?", "Leave", "You get 12 weeks leave after a birth.", False),
    ],
)
def test_a_text_on_another_kind_is_told_by_itself_or_its_heading(
    question: str, heading: str, text: str, other: bool
) -> None:
    assert is_of_other_kind(question, heading, text) == other
