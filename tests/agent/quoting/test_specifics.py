import pytest

from agent.language import language_of
from agent.quoting.specifics import missing_specifics, unheard_names

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
        ("武汉每晚多少？", ["武汉"]),
        ("What changed in FY23?", ["FY23"]),
        ("leave code 999?", ["999"]),
        ("GDPR 怎么规定的？", ["GDPR"]),
    ],
)
def test_missing_terms_are_named_as_they_were_written(question: str, missing: list[str]) -> None:
    assert missing_specifics(question, [EVIDENCE]) == missing


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


STAFF = "员工甲：部门研发，城市上海，持有电工证。\n员工乙：部门研发，城市北京，持有电工证。\n员工丙：部门运维，无证书。"


@pytest.mark.parametrize(
    ("question", "evidence", "missing"),
    [
        ("研发部、在北京、没有电工证的员工是谁？", STAFF, ["没有电工证"]),
        ("在北京，没有电工证的有哪些人？", STAFF, ["没有电工证"]),
        ("哪位员工没有电工证？", STAFF, ["没有电工证"]),
        ("没有证书的员工是谁？", STAFF, []),
        ("哪位员工没有驾照？", STAFF, []),
        ("没有电工证的员工可以工作吗？", STAFF, []),
        ("没有工龄的员工享受哪些假？", "工龄满一年的员工，年假 5 天。", []),
        ("Who in Berlin has no licence?", "Ann: Berlin, licence A. Bob: Munich, licence B.", ["has no licence"]),
        ("Who doesn’t have a licence?", "Ann: Berlin, licence A. Bob: Munich, without a licence.", []),
        ("Who approves travel?", "A manager who has no deputy approves travel.", []),
    ],
)
def test_what_somebody_must_not_have_is_missing_where_everybody_has_it(
    question: str, evidence: str, missing: list[str]
) -> None:
    assert missing_specifics(question, [evidence]) == missing


NAMED = "Redis 的 key 用冒号分隔。The Boston office is led by Graham Twigg."


@pytest.mark.parametrize(
    ("question", "evidence", "missing"),
    [
        ("MongoDB 的规约是什么？", NAMED, ["MongoDB"]),
        ("推荐用哪个版本的 Spring Boot？", NAMED, ["Spring Boot"]),
        ("GDPR第17条怎么说", "第十七条 告知义务。", ["GDPR"]),
        ("Redis的 key 怎么写？", NAMED, []),
        ("Ｒｅｄｉｓ 怎么写？", NAMED, []),
        ("公司的 APP 怎么登录？", "应用程序用工号登录。", []),
        # A name is known by any of its words, and the first word of a sentence is none.
        ("Who is Mr Graham T Twiggs?", "The office is led by Graham Twigg.", []),
        ("Is the office in Austin?", "The Boston office is led by Ann.", ["Austin"]),
        ("Which discount do employees in New York get?", "A discount of 5 %.", ["New York"]),
        ("Kotlin rules?", "Java rules.", []),
        # A Chinese document spells it otherwise.
        ("How long is the Spring Festival holiday?", "春节放假三天。", []),
    ],
)
def test_a_name_that_nothing_speaks_of_is_told(question: str, evidence: str, missing: list[str]) -> None:
    assert unheard_names(question, [evidence]) == missing
    # In a Chinese question it is decisive; an English one names much with a capital letter.
    assert missing_specifics(question, [evidence]) == (missing if language_of(question) == "zh" else [])


RULES = ["劳动合同法 > 第一章\n第二条 适用范围。依照本法第三条执行。", "公司法 > 第十章\n第三条 公司是企业法人。"]


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("劳动合同法第二条规定了什么？", []),
        ("《公司法》第三条怎么说？", []),
        ("第三条怎么说？", []),
        # Another rule has the article, and the rule itself only speaks of it.
        ("劳动合同法第三条规定了什么？", ["劳动合同法第3条"]),
        ("《公司法》的第二条呢？", ["公司法第2条"]),
        # A rule that no passage is of is for the search to find.
        ("劳动法第三条", []),
    ],
)
def test_an_article_stands_in_its_own_rule(question: str, missing: list[str]) -> None:
    assert missing_specifics(question, RULES) == missing
