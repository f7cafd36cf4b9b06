"""`folio migrate` and `folio reindex`, as people and scripts call them."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agent.cli import app
from agent.settings import setting_names
from preprocessing.errors import FolioError
from retrieval.knowledge_base import KnowledgeBase
from retrieval.settings import RetrievalSettings
from tests.fakes import CharacterEmbedder
from tests.retrieval.store.fake_qdrant import FakeQdrant, running

pytestmark = pytest.mark.enable_socket
RUNNER = CliRunner()


@pytest.fixture
def server() -> Iterator[FakeQdrant]:
    with running() as fake:
        yield fake


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    monkeypatch.setenv("FOLIO_HOME", str(folder))
    monkeypatch.setattr("retrieval.upkeep.migration.open_embedder", lambda _settings: CharacterEmbedder())
    Path("leave.md").write_text("# 休假\n\n年假五天。\n", encoding="utf-8")
    with KnowledgeBase.open(RetrievalSettings(home=folder), embedder=CharacterEmbedder()) as base:
        base.ingest([Path("leave.md")])
    return folder


def run(*arguments: str) -> str:
    result = RUNNER.invoke(app, list(arguments))
    if result.exception:
        raise result.exception
    return result.stdout


def test_migrate_there_and_back(home: Path, server: FakeQdrant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOLIO_QDRANT_URL", server.url)
    there = json.loads(run("migrate", "--json"))
    name = there.pop("to")
    assert there == {"documents": 1, "chunks": 1, "written": 1, "from": "store"}
    assert run("migrate", "--back").splitlines() == [
        f"1 documents, 1 chunks are now in the folder {home / name.replace('folio', 'store')}; "
        f"the collection {name} of a Qdrant server was left as it is",
        "unset FOLIO_QDRANT_URL to use them",
    ]


def test_reindex_says_what_it_did(home: Path) -> None:
    assert run("reindex") == "1 documents, 1 chunks, with the vectors of characters kept\n"
    assert json.loads(run("reindex", "--json")) == {
        "documents": 1,
        "chunks": 1,
        "written": 1,
        "embed_model": "characters",
        "embedded": False,
    }


def test_a_shape_of_the_collection_is_a_setting(server: FakeQdrant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOLIO_QDRANT_URL", server.url)
    monkeypatch.setenv("FOLIO_QDRANT_SHARD_NUMBER", "6")
    monkeypatch.setenv("FOLIO_QDRANT_REPLICATION_FACTOR", "2")
    run("migrate")
    (made,) = [body for name, body in server.requests if name.startswith("PUT") and body and "vectors" in body]
    assert (made["shard_number"], made["replication_factor"]) == (6, 2)
    assert {"FOLIO_QDRANT_SHARD_NUMBER", "FOLIO_QDRANT_REPLICATION_FACTOR", "FOLIO_DATABASE_URL"} <= set(
        setting_names()
    )


def test_what_a_person_can_mend_is_an_error_of_ours() -> None:
    with pytest.raises(FolioError, match="FOLIO_QDRANT_URL is not set"):
        run("migrate")
