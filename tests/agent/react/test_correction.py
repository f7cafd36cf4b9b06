"""A reply that is neither action nor answer is told what a right one looks like."""

import pytest

from agent.react.parser import DirectAnswer
from tests.agent.replies import correction


@pytest.mark.parametrize(
    "reply",
    [
        *(
            "",
            " \n\t ",
            "<think>only this",
            "<think>a</think>",
            "Final Answer:",
            "Final Answer: \n",
            "```\n```",
            "最终答案：",
        ),
        "Thought: I should look this up.",
        "Action: None\nAction Input: None",
        "Action: knowledge_search",
        "Action: knowledge_search\nAction Input:",
        "Action: knowledge_search\nAction Input: {}",
        "Action Input: parking rules",
        "Observation: 12 places\nThought: I know\nFinal Answer: 12 places. [S1]",
        "Thought: a\nObservation: 12 places\nFinal Answer: 12 places. [S1]",
        "Action: None\nObservation: 12 places\nFinal Answer: 12 places. [S1]",
        '<tool_call>{"name": </tool_call>',
        "<function=knowledge_search><parameter=query>x</parameter></function>",
        'I will search.\n```json\n{"action": "knowledge_search", "action_input": "x"}\n```',
        '{"unclear": 1}',
    ],
)
def test_anything_else_is_a_correction_and_no_answer(reply: str) -> None:
    error = correction(reply)
    assert not isinstance(error, DirectAnswer)
    assert "12 places" not in f"{error.llm_output}{error.observation}"


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("search_knowledge", "Did you mean knowledge_search?"),
        ("knowledge_serch", "Did you mean knowledge_search?"),
        ("rewrite", "Did you mean query_rewrite?"),
        ("删除文件", "The tools are: query_rewrite, knowledge_search."),
        ("xyz", "The tools are: query_rewrite, knowledge_search."),
    ],
)
def test_an_unknown_tool_gets_the_nearest_name(name: str, advice: str) -> None:
    assert advice in str(correction(f"Action: {name}\nAction Input: q").observation)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Five days of leave. [S1]", "Five days of leave. [S1]"),
        ("<think>hm</think>\n五天年假。[S1]", "五天年假。[S1]"),
        ("```\nFive days. [S1]\n```", "Five days. [S1]"),
        ("Five days. [S1]\nObservation: 12 places", "Five days. [S1]"),
        ("Five days. [S1]\n\nQuestion: more?", "Five days. [S1]"),
        ("The Action plan: five days. [S1]", "The Action plan: five days. [S1]"),
    ],
)
def test_a_reply_without_labels_carries_its_text(reply: str, expected: str) -> None:
    error = correction(reply)
    assert isinstance(error, DirectAnswer)
    assert error.answer == expected
