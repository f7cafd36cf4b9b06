"""A final answer ends where the model invents another turn."""

import pytest

from tests.agent.replies import answer, pieces


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Final Answer: Five days. [S1]", "Five days. [S1]"),
        ("Thought: enough\nFinal Answer: Five days. [S1]\n", "Five days. [S1]"),
        ("思考：够了\n最终答案：五天。[S1]", "五天。[S1]"),
        ("最终回答：五天。[S1]", "五天。[S1]"),
        ("答案：五天。[S1]", "五天。[S1]"),
        ("【最终答案】五天。[S1]", "五天。[S1]"),
        ("**Final Answer:** **Five** days. [S1]", "**Five** days. [S1]"),
        ("**Final Answer: Five days. [S1]**", "**Five days. [S1]**"),
        ("## Final Answer\n\nFive days. [S1]", "Five days. [S1]"),
        ("Final Answer:\n最终答案：五天。[S1]", "五天。[S1]"),
        ("```\nThought: enough\nFinal Answer: Five days. [S1]\n```", "Five days. [S1]"),
        ("Final Answer: Run\n```sh\nls\n```", "Run\n```sh\nls\n```"),
        ("```\nFinal Answer: Run\n```sh\nls\n```\n```", "Run\n```sh\nls\n```"),
        ("Final Answer: Five days. [S1]\nObservation: none", "Five days. [S1]"),
        ("Final Answer: Five days. [S1]\n\nQuestion: what else?\nThought: hm", "Five days. [S1]"),
        ("Final Answer: Five days. [S1]\nThought: done", "Five days. [S1]"),
        ("最终答案：五天。[S1]\n问题：还有吗", "五天。[S1]"),
        ("Final Answer: Five days. [S1]\nFinal Answer: Six days.", "Five days. [S1]"),
        ("Final Answer: Five days.\nAction: knowledge_search\nAction Input: q\nObservation: x", "Five days."),
        ("Final Answer: Five days. [S1]\n\nAction: None", "Five days. [S1]"),
        ("Final Answer: Rules\nAction: No smoking\n[S1]", "Rules\nAction: No smoking\n[S1]"),
        ("Final Answer: <answer>Five days. [S1]</answer>", "Five days. [S1]"),
        ("Final Answer: Five days. [S1]\nObserv", "Five days. [S1]"),
        ("Final Answer: Groups are\nA\nB\nO", "Groups are\nA\nB\nO"),
        (
            "Final Answer: see the Action plan: it has\nthe Observation: part",
            "see the Action plan: it has\nthe Observation: part",
        ),
        ("Final Answer: Note\nAction items: two\nAction: call HR", "Note\nAction items: two\nAction: call HR"),
        (
            "Final Answer: Parts\n- Observation: water level\n- 问题：漏水",
            "Parts\n- Observation: water level\n- 问题：漏水",
        ),
        (
            "Final Answer: FAQ\n**问题：** 几天？\n**回答：** 五天。[S1]",
            "FAQ\n**问题：** 几天？\n**回答：** 五天。[S1]",
        ),
        ("Final Answer:\n| A | B |\n|---|---|\n| 1 | 2 [S1] |", "| A | B |\n|---|---|\n| 1 | 2 [S1] |"),
        ("Final Answer:\n1. one [S1]\n2. two [S2]", "1. one [S1]\n2. two [S2]"),
        ("Final Answer: 用 `<think>` 标签。[S1]", "用 `<think>` 标签。[S1]"),
        ("Final Answer: five <think>hm</think>days", "five days"),
        ('Final Answer: {"no": 7}', '{"no": 7}'),
        ('Final Answer: say "hello"', 'say "hello"'),
    ],
)
def test_a_final_answer_keeps_its_text_and_loses_invented_turns(reply: str, expected: str) -> None:
    assert answer(reply) == expected
    assert "".join(pieces(reply, 1)) == expected
