import pytest

from agent.question import small_talk_reply, without_address


@pytest.mark.parametrize("address", ["知识库：", "知识库:", "  知识库 ： ", "知識庫：", "kb:", "KB： ", "ｋＢ："])
def test_the_name_of_the_knowledge_base_is_no_part_of_the_question(address: str) -> None:
    assert without_address(f"{address}那餐补呢？") == "那餐补呢？"


@pytest.mark.parametrize(
    "message", ["那餐补呢？", "知识库里：有什么？", "What is kb: a unit?", "kbit: how many?", "", "kb"]
)
def test_other_messages_stay_as_they_are(message: str) -> None:
    assert without_address(message) == message
    assert without_address(f"kb: {message}") == message


@pytest.mark.parametrize(
    ("message", "word"), [("您好！", "提问"), ("好的，谢谢。", "提问"), ("ok, thanks a lot", "Ask"), ("Ｈｉ", "Ask")]
)
def test_a_greeting_is_no_question_and_is_answered_in_its_language(message: str, word: str) -> None:
    assert word in small_talk_reply(message)
