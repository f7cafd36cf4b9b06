"""Whatever a model replies, the parser gives an action, an answer or a correction, and the stream that answer alone."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.agents import AgentAction, AgentFinish
from langchain_core.exceptions import OutputParserException

from agent.react.parser import AnswerStream, DirectAnswer
from tests.agent.replies import CASES, PARSER, REPLIES, TOOLS, pieces

Step = AgentAction | AgentFinish | OutputParserException


def parsed(text: str) -> Step:
    try:
        return PARSER.parse(text)
    except OutputParserException as correction:
        return correction


def read(text: str, *, told: str = "Action: ") -> dict[str, Any]:
    """Return what a reply comes to, as the cases have it; a correction must say what is expected of it."""
    step = parsed(text)
    if isinstance(step, AgentAction):
        return {"action": [step.tool, step.tool_input]}
    if isinstance(step, AgentFinish):
        return {"answer": step.return_values["output"]}
    observation = str(step.observation)
    assert step.send_to_llm
    assert "Action: " in observation
    assert observation.count("\n") <= 1
    if isinstance(step, DirectAnswer):
        return {"without_label": step.answer}
    assert "12 places" not in f"{step.llm_output}{observation}"
    return {"correction": told if told in observation else observation}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["reply"][:40])
def test_a_reply_is_read_however_it_is_written(case: dict[str, Any]) -> None:
    expected = {name: value for name, value in case.items() if name not in ("reply", "streamed")}
    assert read(case["reply"], told=case.get("correction", "Action: ")) == expected
    if "action" in case:
        assert "".join(pieces(case["reply"], 2)) == ""
    if "streamed" in case:
        assert "".join(pieces(case["reply"], 1)) == case["streamed"]


@settings(max_examples=400, deadline=None)
@given(REPLIES | st.text())
def test_any_text_is_an_action_an_answer_or_a_correction(text: str) -> None:
    step = parsed(text)
    if isinstance(step, AgentAction):
        assert step.tool in TOOLS
        assert str(step.tool_input).strip()
    elif isinstance(step, AgentFinish):
        assert step.return_values["output"].strip()
    else:
        assert step.observation
        assert step.send_to_llm
        assert not isinstance(step, DirectAnswer) or step.answer.strip()


@settings(max_examples=200, deadline=None)
@given(
    REPLIES,
    st.sampled_from(["Action: knowledge_search\nAction Input: ", "行动：knowledge_search\n行动输入：", '{"query": "']),
    st.sampled_from(["\nObservation: ", "\n观察：", "\n**Observation:** ", "\r\nObservation：", " Observation: "]),
)
def test_an_invented_observation_never_reaches_a_tool_or_an_action_log(
    before: str, turn: str, observation: str
) -> None:
    step = parsed(f"{before}\n{turn}parking{observation}SECRET 99\nFinal Answer: SECRET")
    if isinstance(step, AgentAction):
        assert "SECRET" not in f"{step.tool_input}{step.log}"


def test_a_label_split_over_pieces_never_leaks_and_text_comes_early() -> None:
    stream = AnswerStream()
    given = ("Tho", "ught: I know\nFin", "al Ans", "wer：", "Five ", "days", ". [S1]\nObser", "vation: 99")
    assert [stream.feed(piece) for piece in given] == ["", "", "", "", "Five", " days", ". [S1]", ""]
    assert stream.finish() == ""


@settings(max_examples=400, deadline=None)
@given(REPLIES.filter(lambda text: "</think>" not in text), st.integers(1, 7), st.booleans())
def test_the_stream_is_the_answer_of_the_parser(text: str, size: int, labelled: bool) -> None:
    reply = f"Final Answer: {text}" if labelled else text
    shown, step = "".join(pieces(reply, size)), parsed(reply)
    if isinstance(step, AgentFinish):
        assert shown in ("", step.return_values["output"])
    else:
        assert shown == ""
