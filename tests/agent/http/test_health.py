from importlib.metadata import version
from typing import Any

import pytest

from tests.agent.conftest import LEAVE
from tests.agent.http.conftest import Serve
from tests.fakes import CharacterEmbedder


def test_health_says_what_there_is(serve: Serve) -> None:
    assert serve().client.get("/health").json() == {
        "status": "ok",
        "version": version("folio"),
        "model": "scripted",
        "counts": {"documents": 2, "chunks": 3, "uploads_waiting": 0},
        "legs": {
            "vector": {"ok": True, "chunks": 3, "model": "characters"},
            "keyword": {"ok": True, "chunks": 3},
            "rerank": {"ok": True},
        },
    }


def test_without_a_key_it_says_only_whether_all_is_well(serve: Serve) -> None:
    served = serve()
    served.key("desk")
    legs = {leg: {"ok": True} for leg in ("vector", "keyword", "rerank")}
    assert served.client.get("/health").json() == {"status": "ok", "version": version("folio"), "legs": legs}


@pytest.mark.parametrize("count", ["count", "count_keyword"])
def test_a_leg_that_lost_chunks_is_said(serve: Serve, monkeypatch: pytest.MonkeyPatch, count: str) -> None:
    served = serve()
    monkeypatch.setattr(type(served.assistant.knowledge_base.engine.store), count, lambda _store: 2)
    reply = served.client.get("/health").json()
    assert (reply["status"], reply["legs"]["keyword"]["ok"]) == ("degraded", False)


def test_a_leg_that_is_behind_while_a_document_comes_in_is_no_trouble(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = serve(documents={})
    seen = []
    embed = CharacterEmbedder.embed_passages

    def look(self: CharacterEmbedder, texts: Any) -> Any:
        seen.append(served.client.get("/health").json()["status"])
        return embed(self, texts)

    monkeypatch.setattr(CharacterEmbedder, "embed_passages", look)
    monkeypatch.setattr(type(served.assistant.knowledge_base.engine.store), "count_keyword", lambda _store: 99)
    assert served.upload("leave.md", LEAVE).status_code == 201
    assert set(seen) == {"ok"}
    assert served.client.get("/health").json()["status"] == "degraded"
