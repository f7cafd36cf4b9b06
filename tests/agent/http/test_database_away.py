"""A server whose PostgreSQL goes away and comes back: one line for the client and one in the log, and no restart."""

import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from agent.assistant import Assistant
from agent.http.app import create_app
from agent.http.keys import KeyStore, open_database
from agent.sessions.store import SessionStore
from agent.settings import Settings
from retrieval.knowledge_base import KnowledgeBase
from tests import postgres
from tests.agent.conftest import LEAVE
from tests.agent.http.conftest import ANSWER, QUESTION, SEARCH
from tests.fakes import CharacterEmbedder, ScriptedChatModel
from tests.retrieval.store.fake_qdrant import running

pytestmark = pytest.mark.enable_socket


@pytest.fixture
def server() -> Iterator[postgres.Postgres]:
    """Return a server that no other test needs."""
    programs = postgres.programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed: no initdb, neither on PATH nor in /usr/lib/postgresql")
    with postgres.running(programs) as server:
        yield server


Served = tuple[TestClient, dict[str, str], dict[str, str]]


@pytest.fixture
def served(server: postgres.Postgres, tmp_path: Path) -> Iterator[Served]:
    """Return a client of an app on the database and a Qdrant server, with the headers of an administrator and none."""
    with ExitStack() as open_:
        qdrant = open_.enter_context(running())
        settings = Settings(
            home=tmp_path / "home",
            database_url=server.new_database(),  # type: ignore[arg-type]
            qdrant_url=qdrant.url,
            chat_model="scripted",
            openai_base_url="http://127.0.0.1:9/v1",
        )
        base = open_.enter_context(KnowledgeBase.open(settings, embedder=CharacterEmbedder()))
        database = open_database(settings)
        open_.callback(database.dispose)
        sessions = SessionStore.of(settings)
        open_.callback(sessions.close)

        def reply(messages: Any) -> str:
            return ANSWER if "Observation:" in str(messages[-1].text) else SEARCH

        assistant = Assistant(settings, base, ScriptedChatModel(replies=[reply]), sessions)
        open_.callback(assistant.traces.close)
        _, written = KeyStore(database).add("desk", "admin")
        app = create_app(assistant, database, on_loopback=True)
        client = TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False)
        yield open_.enter_context(client), {"Authorization": f"Bearer {written}"}, {}


def upload(client: TestClient, key: dict[str, str], name: str) -> Any:
    return client.post("/api/documents", files={"file": (name, LEAVE.encode())}, headers=key)


REQUESTS: dict[str, Callable[[TestClient, dict[str, str]], Any]] = {
    "chat": lambda client, key: client.post("/api/chat", json={"question": QUESTION}, headers=key),
    "search": lambda client, key: client.post("/api/search", json={"query": "年假"}, headers=key),
    "list": lambda client, key: client.get("/api/documents", headers=key),
    "upload": lambda client, key: upload(client, key, "more.md"),
    "sessions": lambda client, key: client.get("/api/sessions", headers=key),
    "trace": lambda client, key: client.get("/api/traces/" + "0" * 32, headers=key),
    "models": lambda client, key: client.get("/v1/models", headers=key),
}


def test_it_is_said_in_one_line_and_all_works_again(
    served: Served, server: postgres.Postgres, caplog: pytest.LogCaptureFixture
) -> None:
    client, key, none = served
    assert upload(client, key, "leave.md").status_code == 201
    before = client.post("/api/chat", json={"question": QUESTION, "session": "s"}, headers=key)
    assert before.status_code == 200
    server.stop()
    for name, request in REQUESTS.items():
        caplog.clear()
        response = request(client, key)
        problem = response.json()
        assert (response.status_code, problem["title"]) == (503, "Service Unavailable"), name
        assert problem["detail"] == "the database cannot be used now; try again soon"
        assert response.headers["retry-after"] == "5"
        assert response.headers["x-request-id"] == problem["request_id"]
        (line,) = [record for record in caplog.records if record.levelno >= logging.WARNING]
        assert line.exc_info is None
        assert "s3cret" not in line.getMessage()
        assert "\n" not in line.getMessage()
    for headers in (key, none):
        health = client.get("/health", headers=headers)
        assert (health.status_code, health.json()["down"]) == (503, ["database"])
        assert health.json()["detail"] == "the database cannot be used now"
    assert client.get("/").status_code == 200

    server.start()
    assert client.get("/health", headers=key).json()["status"] == "ok"
    trace = client.get(f"/api/traces/{before.json()['trace_id']}", headers=key).json()
    assert (trace["session"], trace["question"]) == ("s", QUESTION)
    statuses = {name: request(client, key).status_code for name, request in REQUESTS.items()}
    assert statuses == dict.fromkeys(REQUESTS, 200) | {"upload": 201, "trace": 404}


def test_one_that_goes_away_while_a_document_is_brought_in_leaves_no_half_of_it(
    served: Served, server: postgres.Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, key, _ = served
    embed = CharacterEmbedder.embed_passages

    def lost(self: CharacterEmbedder, texts: Any) -> Any:
        server.stop()
        return embed(self, texts)

    monkeypatch.setattr(CharacterEmbedder, "embed_passages", lost)
    # What unrelated texts have in common is measured once, before the first document.
    response = upload(client, key, "leave.md")
    assert (response.status_code, response.json()["detail"]) == (503, "the database cannot be used now; try again soon")
    monkeypatch.setattr(CharacterEmbedder, "embed_passages", embed)
    server.start()
    assert client.get("/api/documents", headers=key).json()["total"] == 0
    # The right to write is this server's own still.
    assert upload(client, key, "leave.md").status_code == 201
    hits = client.post("/api/search", json={"query": "年假"}, headers=key).json()["hits"]
    assert {hit["filename"] for hit in hits} == {"leave.md"}
    assert client.get("/health", headers=key).json()["status"] == "ok"
