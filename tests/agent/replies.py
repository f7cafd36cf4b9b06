"""Replies of a model, and what the parser and the stream make of them."""

import json
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from agent.react.parser import AnswerStream, ReActParser

TOOLS = ("query_rewrite", "knowledge_search")
PARSER = ReActParser(tool_names=TOOLS)

CASES: list[dict[str, Any]] = [
    json.loads(line) for line in Path(__file__).with_name("replies.jsonl").read_text(encoding="utf-8").splitlines()
]
"""Replies as models write them, each with its `action`, its `answer`, what its `correction` says, or its text."""


def pieces(reply: str, size: int) -> list[str]:
    """Return what the stream shows of a reply that comes in pieces of so many characters."""
    stream = AnswerStream()
    shown = [stream.feed(reply[start : start + size]) for start in range(0, len(reply), size)]
    return [*shown, stream.finish()]


FRAGMENTS = [
    *("Thought: ", "Action: ", "Action Input: ", "Observation: ", "Final Answer: ", "Question: ", "**Final Answer:** "),
    *(
        "思考：",
        "行动：",
        "行动输入：",
        "观察：",
        "最终答案：",
        "答案：",
        "【行动】",
        "Action",
        "Observ",
        "knowledge_search",
    ),
    *("query_rewrite", "delete", "None", "无", "\n", "\n\n", " ", "```", "```json\n", '{"query": "a"}', '"action": '),
    *("<think>", "</think>", "<tool_call>", "</tool_call>", '{"action": "knowledge_search", "action_input": "a"}'),
    *("five days", "五天。", "[S1]", "1. ", "\r", *'*#-`"{}[]\\:：|'),
]
REPLIES = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=4), max_size=24).map("".join)
