"""Replies of a model, and what the parser and the stream make of them."""

import pytest
from hypothesis import strategies as st
from langchain_core.agents import AgentAction, AgentFinish
from langchain_core.exceptions import OutputParserException

from agent.react.parser import AnswerStream, ReActParser

TOOLS = ("query_rewrite", "knowledge_search")


PARSER = ReActParser(tool_names=TOOLS)


def action(text: str) -> tuple[str, str]:
    step = PARSER.parse(text)
    assert isinstance(step, AgentAction), step
    assert isinstance(step.tool_input, str)
    return step.tool, step.tool_input


def answer(text: str) -> str:
    step = PARSER.parse(text)
    assert isinstance(step, AgentFinish), step
    output = step.return_values["output"]
    assert isinstance(output, str)
    return output


def correction(text: str) -> OutputParserException:
    with pytest.raises(OutputParserException) as caught:
        PARSER.parse(text)
    error = caught.value
    assert error.send_to_llm
    assert error.observation
    assert error.observation.count("\n") <= 1
    assert "Action: " in error.observation
    return error


def pieces(reply: str, size: int) -> list[str]:
    stream = AnswerStream()
    shown = [stream.feed(reply[start : start + size]) for start in range(0, len(reply), size)]
    return [*shown, stream.finish()]


FRAGMENTS = st.sampled_from(
    [
        *(
            "Thought: ",
            "Action: ",
            "Action Input: ",
            "Observation: ",
            "Final Answer: ",
            "Question: ",
            "Action",
            "Observ",
        ),
        *(
            "思考：",
            "行动：",
            "行动输入：",
            "观察：",
            "最终答案：",
            "答案：",
            "【行动】",
            "**Final Answer:** ",
            "**",
            "## ",
            "- ",
        ),
        *(
            "knowledge_search",
            "query_rewrite",
            "delete",
            "None",
            "无",
            "\n",
            "\n",
            "\n",
            " ",
            "```",
            "```json\n",
            "`",
            '"',
        ),
        *(
            "<think>",
            "</think>",
            "<tool_call>",
            "</tool_call>",
            "{",
            "}",
            "[",
            "]",
            '{"query": "a"}',
            '"action": ',
            "\\",
        ),
        *(
            '{"action": "knowledge_search", "action_input": "a"}',
            "five days",
            "五天。",
            "[S1]",
            "1. ",
            ":",
            "：",
            "\r",
            "|",
        ),
    ]
)


REPLIES = st.lists(FRAGMENTS | st.text(max_size=4), max_size=24).map("".join)
