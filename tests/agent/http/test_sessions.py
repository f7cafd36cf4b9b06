import re
from typing import Any

from langchain_core.messages import BaseMessage

from agent.sessions.turn import Turn
from tests.agent.http.conftest import ANSWER, QUESTION, SEARCH, Serve, Served


def test_a_conversation_and_its_traces_are_shown(serve: Serve) -> None:
    served = serve(SEARCH, ANSWER)
    reply = served.client.post("/api/chat", json={"question": QUESTION}).json()
    shown = served.client.get(f"/api/sessions/{reply['session']}").json()
    (turn,) = shown["turns"]
    assert (turn["question"], turn["answer"], turn["trace_id"]) == (QUESTION, reply["answer"], reply["trace_id"])
    assert turn["citations"][0]["quote"] == "转正员工年假 12 天。"
    trace = served.client.get(f"/api/traces/{reply['trace_id']}").json()
    assert [event["event"] for event in trace["events"]] == ["action", "observation", "finish"]
    assert (trace["session"], trace["error"]) == (reply["session"], None)
    assert served.client.get("/api/sessions/nosuch").status_code == 404
    assert served.client.get("/api/traces/" + "0" * 32).status_code == 404


def test_what_a_key_began_is_its_own(serve: Serve) -> None:
    served = serve(SEARCH, ANSWER, SEARCH, ANSWER)
    mine, yours = served.key("mine"), served.key("yours", "admin")
    reply = served.client.post("/api/chat", json={"question": QUESTION}, headers=mine).json()
    session = reply["session"]
    for path in (f"/api/sessions/{session}", f"/api/traces/{reply['trace_id']}"):
        assert served.client.get(path, headers=mine).status_code == 200
        assert served.client.get(path, headers=yours).status_code == 404
    assert served.client.get("/api/sessions", headers=yours).json() == {"sessions": [], "titles": {}}
    for stream in (False, True):
        body = {"question": "那病假呢？", "session": session, "stream": stream}
        response = served.client.post("/api/chat", json=body, headers=yours)
        assert (response.status_code, response.json()["status"]) == (404, 404)
    assert len(served.assistant.sessions.turns(session)) == 1


def test_what_was_begun_without_a_key_is_no_keys(serve: Serve) -> None:
    served = serve(SEARCH, ANSWER)
    served.assistant.sessions.append("terminal", Turn("q", "a"))
    assert served.client.get("/api/sessions").json() == {"sessions": ["terminal"], "titles": {"terminal": "q"}}
    assert served.client.get("/api/sessions/terminal").status_code == 200
    key = served.key("desk")
    assert served.client.get("/api/sessions/terminal", headers=key).status_code == 404
    body = {"question": QUESTION, "session": "terminal"}
    assert served.client.post("/api/chat", json=body, headers=key).status_code == 404


def test_what_was_asked_on_behalf_of_groups_is_not_shown_without_them(serve: Serve) -> None:
    served = serve(SEARCH, ANSWER)
    answer = served.assistant.ask(QUESTION, "terminal", viewer=["board"])
    assert served.client.get("/api/sessions/terminal").status_code == 404
    assert served.client.get(f"/api/traces/{answer.trace_id}").status_code == 404


def test_a_session_is_called_by_its_first_question_and_can_be_deleted(serve: Serve) -> None:
    served = serve(SEARCH, ANSWER, SEARCH, ANSWER, SEARCH, ANSWER)
    mine, yours = served.key("mine"), served.key("yours", "admin")
    asked = {"question": QUESTION, "session": "leave"}
    for body in (asked, asked | {"question": "那病假呢？"}, {"question": "第二个对话", "session": "other"}):
        assert served.client.post("/api/chat", json=body, headers=mine).status_code == 200
    titles = {"leave": QUESTION, "other": "第二个对话"}
    assert served.client.get("/api/sessions", headers=mine).json() == {"sessions": ["other", "leave"], "titles": titles}
    assert served.client.delete("/api/sessions/leave", headers=yours).status_code == 404
    assert served.client.delete("/api/sessions/leave", headers=mine).status_code == 204
    for response in (
        served.client.get("/api/sessions/leave", headers=mine),
        served.client.delete("/api/sessions/leave", headers=mine),
    ):
        assert response.status_code == 404
    assert served.client.get("/api/sessions", headers=mine).json()["sessions"] == ["other"]
    assert served.assistant.sessions.turns("leave") == []


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


def test_without_a_session_nobody_gets_into_a_common_one(serve: Serve) -> None:
    served = serve(reply)
    sessions = {ask(served, f"我的{number}。", None)["session"] for number in (MINE, YOURS)}
    assert len(sessions) == 2
    model = served.assistant._given_model
    assert not any(
        MINE in text and YOURS in text
        for text in ("\n".join(str(one.text) for one in messages) for messages in model.prompts)  # type: ignore[union-attr]
    )
