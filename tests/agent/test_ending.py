from collections.abc import Callable

from agent.assistant import Assistant
from tests.agent.conftest import model_of, prompts_of

Scripted = Callable[..., Assistant]

SEARCH = "Thought: 要查。\nAction: knowledge_search\nAction Input: 转正员工年假"
ANSWER = "Thought: 有了。\nFinal Answer: 转正员工年假 12 天。[S1]"
REFUSAL = "Final Answer: NOT_FOUND"


def test_a_refusal_without_a_search_is_sent_to_search(scripted: Scripted) -> None:
    assistant = scripted(REFUSAL, SEARCH, ANSWER)
    answer = assistant.ask("转正员工年假有几天？")
    assert (answer.refused, answer.answer) == (False, "转正员工年假 12 天。[S1]")
    assert "Nothing was searched yet" in prompts_of(assistant)[1]


def test_whoever_insists_is_shown_what_a_search_finds(scripted: Scripted) -> None:
    assistant = scripted(REFUSAL)
    answer = assistant.ask("公司的停车位怎么申请？")
    assert (answer.refused, answer.reason) == (True, "not_found")
    assert "搜索过：“公司的停车位怎么申请？”" in answer.answer
    # The refusal, the same after the correction, and the last word with the passages in sight.
    assert len(model_of(assistant).prompts) == 3
    assert "leave.md" in prompts_of(assistant)[2]


def test_a_refusal_after_a_search_stands(scripted: Scripted) -> None:
    parking = "Thought: t\nAction: knowledge_search\nAction Input: 停车位"
    assistant = scripted(parking, REFUSAL)
    assert assistant.ask("公司的停车位怎么申请？").refused
    assert len(model_of(assistant).prompts) == 2
