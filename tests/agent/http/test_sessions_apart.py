"""Two people in two sessions at the same time: neither answers nor prompts of one hold anything of the other."""

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from langchain_core.messages import BaseMessage

from tests.agent.http.conftest import Serve, Served

TURNS = 20
MINE, YOURS = "工号 1001", "工号 2002"


def reply(messages: list[BaseMessage]) -> str:
    """Search for what was asked, then answer with the number that the conversation holds."""
    prompt = str(messages[-1].text)
    if prompt.startswith("Shorten the beginning"):
        return "\n".join(f"- {said}" for said in sorted(set(re.findall(r"工号 \d{4}", prompt))))
    if "Observation:" not in prompt:
        return "Thought: 查。\nAction: knowledge_search\nAction Input: 年假"
    return "Thought: 有了。\nFinal Answer: 试用期员工年假 5 天。[S1]"


def ask(served: Served, question: str, session: str | None) -> dict[str, Any]:
    body = {"question": question} | ({"session": session} if session else {})
    response = served.client.post("/api/chat", json=body)
    assert response.status_code == 200
    answer: dict[str, Any] = response.json()
    return answer


@pytest.mark.parametrize("history", ["short", "long"])
def test_interleaved_sessions_do_not_meet(serve: Serve, history: str) -> None:
    served = serve(reply, client={"base_url": "http://127.0.0.1"}, requests_per_minute=0)
    # Long ones are shortened on the way.
    padding = "" if history == "short" else "请记住这一点，后面还要用到。" * 8

    def talk(number: str) -> list[dict[str, Any]]:
        asked = [f"我的{number}，{padding}", *["我的工号是多少？" + padding] * TURNS]
        return [ask(served, question, f"session-{number[-4:]}") for question in asked]

    with ThreadPoolExecutor(2) as pool:
        mine, yours = pool.map(talk, (MINE, YOURS))
    model = served.assistant._given_model
    assert model is not None
    prompts = ["\n".join(str(message.text) for message in messages) for messages in model.prompts]  # type: ignore[attr-defined]
    assert not any(MINE in prompt and YOURS in prompt for prompt in prompts)
    assert sum(MINE in prompt for prompt in prompts) >= 2 * TURNS
    assert sum(YOURS in prompt for prompt in prompts) >= 2 * TURNS
    for answers, session in ((mine, "session-1001"), (yours, "session-2002")):
        assert {answer["session"] for answer in answers} == {session}
        turns = served.client.get(f"/api/sessions/{session}").json()["turns"]
        assert len(turns) == TURNS + 1
        assert [turn["trace_id"] for turn in turns] == [answer["trace_id"] for answer in answers]
    assert any(prompt.startswith("Shorten the beginning") for prompt in prompts) == (history == "long")


def test_without_a_session_nobody_gets_into_a_common_one(serve: Serve) -> None:
    served = serve(reply)
    sessions = {ask(served, f"我的{number}。", None)["session"] for number in (MINE, YOURS)}
    assert len(sessions) == 2
    model = served.assistant._given_model
    assert not any(
        MINE in text and YOURS in text
        for text in ("\n".join(str(one.text) for one in messages) for messages in model.prompts)  # type: ignore[union-attr]
    )
