"""A tool is found however its name is spelt, and no tool means an answer."""

import pytest

from tests.agent.replies import action, answer


@pytest.mark.parametrize(
    "name",
    [
        *("knowledge_search", "`knowledge_search`", '"knowledge_search"', "'knowledge_search'", "“knowledge_search”"),
        *(
            "[knowledge_search]",
            "【knowledge_search】",
            "<knowledge_search>",
            "**knowledge_search**",
            "(knowledge_search)",
        ),
        *(
            "KnowledgeSearch",
            "knowledge-search",
            "Knowledge Search",
            "ｋｎｏｗｌｅｄｇｅ＿ｓｅａｒｃｈ",
            "knowledge_search.",
        ),
        *(
            "knowledge_search tool",
            "使用 knowledge_search 工具",
            "knowledge_search()",
            "knowledge_search - to look it up",
        ),
    ],
)
def test_a_tool_name_is_resolved_however_it_is_wrapped_or_spelt(name: str) -> None:
    assert action(f"Action: {name}\nAction Input: 停车规定") == ("knowledge_search", "停车规定")


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Thought: tool? no\nAction: None\nAction Input: Five days. [S1]", "Five days. [S1]"),
        ("行动：无\n行动输入：五天。[S1]", "五天。[S1]"),
        ("Action: N/A\nAction Input: Five days. [S1]", "Five days. [S1]"),
        ("Action: None needed\nFinal Answer: Five days. [S1]", "Five days. [S1]"),
        ("Action: None\nAction Input: None\nFinal Answer: Five days. [S1]", "Five days. [S1]"),
        ("Action: None\nAction Input: No, five days.\n- one [S1]", "No, five days.\n- one [S1]"),
        ("Action: Final Answer\nAction Input: Five days. [S1]", "Five days. [S1]"),
        ("Action: Finish[Five days. (S1)]", "Five days. (S1)"),
        ('{"final_answer": "Five days. [S1]"}', "Five days. [S1]"),
        ('{"action": "Final Answer", "action_input": "Five days. [S1]"}', "Five days. [S1]"),
    ],
)
def test_no_tool_means_a_final_answer(reply: str, expected: str) -> None:
    assert answer(reply) == expected
