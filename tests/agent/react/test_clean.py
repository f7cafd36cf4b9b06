"""Thinking is removed, and nothing in it is done."""

import pytest

from agent.react.labels import strip_thinking
from tests.agent.replies import action


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        ("a<think>b</think>c", "ac"),
        ("a<think>b", "a"),
        ("b</think>c", "c"),
        ("<THINK>b</ think >c", "c"),
        ("<think>a<think>b</think>c</think>d", "d"),
        ("no tags, 1 < 2", "no tags, 1 < 2"),
        ("the `<think>` tag", "the `<think>` tag"),
    ],
)
def test_strip_thinking(text: str, visible: str) -> None:
    assert strip_thinking(text) == visible


@pytest.mark.parametrize(
    "thought",
    [
        'Thought: a call looks like {"action": "query_rewrite", "action_input": "x"} but I only search.',
        'Thought: a call looks like\n{\n  "action": "query_rewrite",\n  "action_input": "x"\n}\nbut I only search.',
        'Thought: for example\n```json\n{"action": "query_rewrite", "action_input": "x"}\n```',
        "<think>\nAction: query_rewrite\nAction Input: x\n</think>",
        "<think>a <think>b</think>\nAction: query_rewrite\nAction Input: x\n</think>\nThought: search",
        "Action: query_rewrite\nAction Input: x\n</think>",
        "<thinking>Final Answer: x</thinking>",
        "◁think▷Final Answer: x◁/think▷",
        "Question: what are the parking rules?\nThought: search",
    ],
)
def test_nothing_inside_a_thought_is_executed(thought: str) -> None:
    assert action(f"{thought}\nAction: knowledge_search\nAction Input: q") == ("knowledge_search", "q")
