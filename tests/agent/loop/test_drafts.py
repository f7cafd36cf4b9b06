from collections.abc import Callable

import pytest

from agent.assistant import Assistant
from tests.fakes import ScriptedChatModel

QUESTION = "转正员工年假有几天？"
SEARCH = "Thought: 要查。\nAction: knowledge_search\nAction Input: 转正员工年假"
RIGHT = "转正员工年假 12 天。[S1]"
WRONG = "转正员工年假 99 天。[S1]"
Scripted = Callable[..., Assistant]


def drafts_of(assistant: Assistant) -> tuple[list[str], str]:
    """Return the drafts that were told, in order, and the answer."""
    drafts: dict[int, str] = {}

    def tell(number: int, text: str) -> None:
        assert number >= max(drafts, default=1)
        drafts[number] = drafts.get(number, "") + text

    answer = assistant.ask(QUESTION, on_draft=tell)
    assert list(drafts) == list(range(1, len(drafts) + 1))
    return list(drafts.values()), answer.answer


@pytest.mark.parametrize(
    ("replies", "before"),
    [
        ([SEARCH, f"Final Answer: {RIGHT}"], []),
        ([SEARCH, f"思考：有了。\n最终答案：{RIGHT}"], []),
        ([SEARCH, f"<think>Final Answer: no</think>Final Answer: {RIGHT}"], []),
        # What fails the checks is told, and made void by the next.
        ([SEARCH, f"Final Answer: {WRONG}", f"Final Answer: {RIGHT}"], [WRONG]),
        # Before the first search, nothing is told.
        (["Final Answer: 大概 12 天。", SEARCH, f"Final Answer: {RIGHT}"], []),
        # An answer without the label is found by the parser, not by the stream.
        ([SEARCH, RIGHT], []),
    ],
)
def test_the_last_draft_is_the_answer(scripted: Scripted, replies: list[str], before: list[str]) -> None:
    drafts, answer = drafts_of(scripted(*replies))
    assert answer == RIGHT
    assert drafts == [*before, RIGHT]


@pytest.mark.parametrize("word", ["NOT_FOUND", "NOT_FOUND: 股票期权", "not found", "**NOT_FOUND**"])
def test_the_word_for_a_refusal_is_never_told(scripted: Scripted, word: str) -> None:
    drafts, answer = drafts_of(scripted(SEARCH, f"Final Answer: {word}"))
    assert drafts == [answer]
    assert "没有找到" in answer


def test_the_first_piece_comes_before_the_reply_is_complete(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    stream = ScriptedChatModel._stream

    def noted(self: ScriptedChatModel, *args: object, **kwargs: object) -> object:
        yield from stream(self, *args, **kwargs)  # type: ignore[arg-type]
        order.append("reply complete")

    monkeypatch.setattr(ScriptedChatModel, "_stream", noted)
    assistant = scripted(SEARCH, f"Thought: 有了。\nFinal Answer: {RIGHT} 其余不变。")
    assistant.ask(QUESTION, on_draft=lambda _number, text: order.append(text))
    assert order.index("reply complete", 1) > 2
    assert "".join(piece for piece in order[1:4]).startswith("转正")
