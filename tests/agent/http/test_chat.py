import json
import threading
from typing import Any

import pytest

from agent.http.chat import ReaderLeft, Telling
from tests.agent.conftest import model_of, prompts_of
from tests.agent.http.conftest import ANSWER, BOARD, QUESTION, SEARCH, Serve, Served, restricted


def events_of(text: str) -> list[tuple[str, Any]]:
    """Read server-sent events."""
    events = []
    for block in text.split("\n\n"):
        lines = [line for line in block.split("\n") if line and not line.startswith(":")]
        if lines:
            name, data = lines
            events.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return events


def test_an_answer_has_only_the_passages_that_it_cites(serve: Serve) -> None:
    served = serve(SEARCH, ANSWER)
    response = served.client.post("/api/chat", json={"question": QUESTION})
    assert response.status_code == 200
    reply = response.json()
    (source,) = reply.pop("sources")
    assert {"session", "trace_id", "usage", "checks"} < reply.keys()
    assert {name: reply[name] for name in ("answer", "refused", "reason", "provider")} == {
        "answer": "转正员工年假 12 天。[S1]",
        "refused": False,
        "reason": None,
        "provider": "scripted",
    }
    assert source.pop("score") > 0
    assert source.pop("chunk_id").startswith(source["document_id"])
    assert source == {
        "id": "S1",
        "document_id": served.id_of("leave.md"),
        "filename": "leave.md",
        "source": "leave.md",
        "heading": "休假制度 > 年假",
        "page": None,
        "content": "试用期员工年假 5 天。转正员工年假 12 天。",
        "quote": "转正员工年假 12 天。",
    }
    # The model was shown more than that.
    assert "病假工资" in prompts_of(served.assistant)[1]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "question: field required"),
        ({"question": "　\n"}, "question: is blank; say what you want to know"),
        ({"question": 5}, "question: input should be a valid string"),
        ({"question": "x" * 8001}, "question: string should have at most 8000 characters"),
        ({"question": "x", "viewer": ["board"]}, "viewer: extra inputs are not permitted"),
        ({"question": "x", "top_k": 0}, "top_k: input should be greater than or equal to 1"),
        ({"question": "x", "session": "../x y"}, "session: string should match pattern"),
        ({"question": "x", "filters": {"page>=": "soon"}}, "page"),
        ({"question": "x", "filters": {"source": []}}, "filters.source"),
        ({"question": "x", "as_of": "2024"}, "as_of: as_of '2024' is not a day; a right one is as_of 2024-01-31"),
        ({"question": "x", "as_of": 20240131}, "as_of: must be a day, such as 2024-01-31"),
    ],
)
def test_a_question_that_cannot_be(served: Served, body: dict[str, Any], said: str) -> None:
    response = served.client.post("/api/chat", json=body)
    assert response.status_code == 422
    assert response.headers["content-type"] == "application/problem+json"
    assert said in response.json()["detail"]
    assert model_of(served.assistant).prompts == []


def test_events_tell_steps_drafts_sources_and_the_answer(serve: Serve) -> None:
    served = serve(SEARCH, ANSWER, SEARCH, ANSWER)
    response = served.client.post("/api/chat", json={"question": QUESTION, "stream": True})
    assert response.headers["content-type"].startswith("text/event-stream")
    assert response.headers["cache-control"] == "no-store"
    events = events_of(response.text)
    names = [name for name, _ in events]
    assert list(dict.fromkeys(names)) == ["step", "token", "sources", "done"]
    assert names[-2:] == ["sources", "done"]
    steps = [data["event"] for name, data in events if name == "step"]
    assert steps == ["action", "observation", "finish"]
    tokens = [data for name, data in events if name == "token"]
    assert "".join(token["text"] for token in tokens) == "转正员工年假 12 天。[S1]"
    assert {token["draft"] for token in tokens} == {1}

    done = events[-1][1]
    whole = served.client.post("/api/chat", json={"question": QUESTION}).json()
    # Times, session and trace are those of each question.
    assert {k: v for k, v in done.items() if k not in ("session", "trace_id", "usage")} == {
        k: v for k, v in whole.items() if k not in ("session", "trace_id", "usage")
    }
    assert events[-2][1] == {"sources": whole["sources"]}


def test_a_failure_after_the_beginning_is_an_event(serve: Serve) -> None:
    served = serve(SEARCH, RuntimeError("secret of the house"))
    response = served.client.post("/api/chat", json={"question": QUESTION, "stream": True})
    assert response.status_code == 200
    name, problem = events_of(response.text)[-1]
    assert (name, problem["status"], problem["title"]) == ("error", 500, "Internal Server Error")
    assert problem["request_id"] == response.headers["x-request-id"]
    assert "secret" not in response.text
    assert served.client.get("/api/sessions").json() == {"sessions": [], "titles": {}}


async def _collect(telling: Telling, executor: Any, most: int) -> list[str]:
    names = []
    events = telling.until_done(executor)
    async for name, _ in events:
        names.append(name)
        if len(names) == most:
            await events.aclose()  # type: ignore[attr-defined]
            break
    return names


def test_a_question_ends_when_its_reader_leaves() -> None:
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    left, ended = threading.Event(), []

    def ask(tell: Any) -> Any:
        tell("step", {})
        assert left.wait(60)
        try:
            tell("step", {})
        except ReaderLeft:
            ended.append("left")
            raise

    with ThreadPoolExecutor(1) as executor:
        assert asyncio.run(_collect(Telling(ask), executor, 1)) == ["step"]
        left.set()
    assert ended == ["left"]


def test_documents_of_other_groups_are_not_answered_from(serve: Serve) -> None:
    served = serve(
        SEARCH,
        "Final Answer: NOT_FOUND",
        documents={"leave.md": "# 休假\n\n年假 12 天。", "b.md": restricted("board", BOARD)},
    )
    for key, seen in ((served.key("staff"), False), (served.key("chair", groups=("board",)), True)):
        model_of(served.assistant).prompts.clear()
        response = served.client.post("/api/chat", json={"question": "董事会的年假？"}, headers=key)
        assert response.status_code == 200
        assert ("另行规定" in "\n".join(prompts_of(served.assistant))) is seen
