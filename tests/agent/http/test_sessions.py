from agent.memory import Turn
from tests.agent.http.conftest import ANSWER, QUESTION, SEARCH, Serve


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


def test_a_question_of_other_groups_is_no_title(serve: Serve) -> None:
    served = serve()
    served.assistant.sessions.append("terminal", Turn("q", "a", viewer=("board",)))
    assert served.client.get("/api/sessions").json() == {"sessions": ["terminal"], "titles": {}}
