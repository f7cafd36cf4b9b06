import pytest

from agent.quoting.candidate import Passage
from agent.quoting.missing import missing_parts
from retrieval.text.language import language_of

CHINESE = Passage("S1", "出差", "上海的住宿须事先申请。")
ENGLISH = Passage("S1", "Travel", "Hotels are booked by the office.")


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("上海住宿每晚多少钱？", ["金额"]),
        ("上海住宿补贴按什么比例发？", ["比例"]),
        ("GDPR 住宿每晚多少钱？", ["GDPR", "金额"]),
        ("上海住宿怎么申请？", []),
        ("How much does it cost in Berlin?", ["Berlin", "an amount of money"]),
        ("Who books hotels?", []),
    ],
)
def test_terms_and_types_are_named_in_the_language_of_the_question(question: str, missing: list[str]) -> None:
    passage = CHINESE if language_of(question) == "zh" else ENGLISH
    assert missing_parts(question, [passage]) == missing


def test_a_type_that_stands_somewhere_is_not_missing() -> None:
    assert missing_parts("上海住宿每晚多少钱？", [Passage("S1", "出差", "上海每晚 500 元。")]) == []
