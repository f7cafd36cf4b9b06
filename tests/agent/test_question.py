import pytest

from agent.question import without_address


@pytest.mark.parametrize(
    "message",
    [
        "知识库：那餐补呢？",
        "知识库:那餐补呢？",
        "  知识库 ： 那餐补呢？",
        "知識庫：那餐补呢？",
        "kb:那餐补呢？",
        "KB： 那餐补呢？",
        "Kb : 那餐补呢？",
        "ｋＢ：那餐补呢？",
    ],
)
def test_the_name_of_the_knowledge_base_is_no_part_of_the_question(message: str) -> None:
    assert without_address(message) == "那餐补呢？"


@pytest.mark.parametrize(
    "message",
    [
        "那餐补呢？",
        "知识库怎么用？",
        "知识库里：有什么？",
        "What is kb: a unit?",
        "kbit: how many?",
        "mkb: x",
        "",
        "kb",
    ],
)
def test_other_messages_stay_as_they_are(message: str) -> None:
    assert without_address(message) == message


def test_only_the_first_name_goes() -> None:
    assert without_address("kb: kb: x") == "kb: x"
