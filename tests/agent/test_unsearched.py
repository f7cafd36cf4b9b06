import pytest

from agent.memory import Turn
from agent.unsearched import unsearched, unsearched_text


@pytest.mark.parametrize(
    "message",
    ["你好", "您好！", "谢谢", "非常感谢！", "好的，谢谢。", "Hello", "Thank you!", "ok, thanks a lot", "Ｈｉ", "再见"],
)
def test_a_greeting_is_no_question(message: str) -> None:
    assert unsearched(message, []) == "no_question"
    assert unsearched(message, [Turn("年假几天？", "5 天。")]) == "no_question"


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("它多少钱？", "它"),
        ("他们可以休年假吗？", "他们"),
        ("How much does it cost?", "it"),
        ("When do they expire?", "they"),
    ],
)
def test_who_begins_with_a_pronoun_is_asked_back(question: str, name: str) -> None:
    assert unsearched(question, []) == "underspecified"
    assert f"“{name}”" in unsearched_text(question, "underspecified")
    assert unsearched(question, [Turn("上海住宿每晚多少钱？", "500 元。")]) is None


@pytest.mark.parametrize(
    "question",
    [
        "年假几天？",
        "你好，年假几天？",
        "谢谢卡怎么用？",
        "公司收到申请后，它要在几天内答复？",
        "本制度什么时候生效？",
        "这个月的餐补是多少？",
        "How long does it take to get a laptop?",
        "Is it possible to work from home?",
        "If an employee is sick, what must they do?",
        "Does the company publish its accounts?",
        "ERR_4032",
        "那病假呢？",
        "What about Berlin?",
        "Hello Kitty policy?",
        "ok button in the form?",
    ],
)
def test_a_question_that_stands_alone_is_searched(question: str) -> None:
    assert unsearched(question, []) is None


@pytest.mark.parametrize(("question", "word"), [("你好", "提问"), ("Thanks", "Ask")])
def test_the_reply_is_in_the_language_of_the_message(question: str, word: str) -> None:
    assert word in unsearched_text(question, "no_question")
