import pytest

from agent.quoting.specifics.missing import missing_specifics
from agent.quoting.specifics.names import unheard_names
from retrieval.text.language import language_of

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
