"""What surrounds the text of a reply is taken away, and what is said over and over is said once."""

import pytest

from agent.react.labels import goes_round, said_once, spoken, strip_thinking


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
    ("text", "once"),
    [
        ("年假 12 天。[S1]\n" + "请参考制度。" * 200, "年假 12 天。[S1]\n请参考制度。"),
        ("Thought: I search.\nAction: knowledge_search\n" * 40, "Thought: I search.\nAction: knowledge_search"),
        ("年假为 5 天[S1]。" + "员工须提前申请[S1]。" * 60, "年假为 5 天[S1]。员工须提前申请[S1]。"),
        ("It is 5 days. [S1]\n" + "Apply early. [S1]\n" * 60, "It is 5 days. [S1]\nApply early. [S1]"),
        ("Answer: " + "。" * 700, "Answer: 。"),
    ],
)
def test_what_is_said_over_and_over_is_said_once(text: str, once: str) -> None:
    assert goes_round(text)
    assert said_once(text) == spoken(text) == once
