import pytest

from agent.question import small_talk_reply


@pytest.mark.parametrize(
    ("message", "word"), [("您好！", "提问"), ("好的，谢谢。", "提问"), ("ok, thanks a lot", "Ask"), ("Ｈｉ", "Ask")]
)
def test_a_greeting_is_no_question_and_is_answered_in_its_language(message: str, word: str) -> None:
    assert word in small_talk_reply(message)


@pytest.mark.parametrize("question", ["你好，年假几天？", "谢谢卡怎么用？", "Hello Kitty policy?", "ERR_4032"])
def test_whatever_asks_something_is_searched(question: str) -> None:
    assert small_talk_reply(question) == ""
