"""The stream shows the answer and nothing else."""

from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.agents import AgentAction
from langchain_core.exceptions import OutputParserException

from agent.react.parser import AnswerStream
from tests.agent.replies import PARSER, REPLIES, pieces


def test_a_label_split_over_pieces_never_leaks_and_text_comes_early() -> None:
    stream = AnswerStream()
    assert [stream.feed(piece) for piece in ("Tho", "ught: I know\nFin", "al Ans", "wer：", "Five ")] == [
        "",
        "",
        "",
        "",
        "Five",
    ]
    assert stream.feed("days") == " days"
    assert stream.feed(". [S1]\nObser") == ". [S1]"
    assert stream.feed("vation: 99") == ""
    assert stream.finish() == ""


def test_a_reply_with_an_action_streams_nothing() -> None:
    for reply in (
        "Thought: x\nAction: knowledge_search\nAction Input: q\nObservation: 9\nFinal Answer: 9",
        '{"action": "knowledge_search",\n"action_input": "q"}\nFinal Answer: 9',
        "<think>\nFinal Answer: 9",
        "just text",
    ):
        assert "".join(pieces(reply, 2)) == ""


@settings(max_examples=400, deadline=None)
@given(REPLIES.filter(lambda text: "</think>" not in text), st.integers(1, 7), st.booleans())
def test_the_stream_is_the_answer_of_the_parser(text: str, size: int, labelled: bool) -> None:
    reply = f"Final Answer: {text}" if labelled else text
    shown = "".join(pieces(reply, size))
    try:
        step = PARSER.parse(reply)
    except OutputParserException:
        assert shown == ""
    else:
        if isinstance(step, AgentAction):
            assert shown == ""
        else:
            assert shown in ("", step.return_values["output"])
