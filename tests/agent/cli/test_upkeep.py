"""`folio migrate` and `folio reindex`, as people and scripts call them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agent.cli.conftest import Folio
from tests.fakes import CharacterEmbedder
from tests.retrieval.store.fake_qdrant import FakeQdrant, running

pytestmark = pytest.mark.enable_socket


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeQdrant]:
    with running() as fake:
        monkeypatch.setenv("FOLIO_QDRANT_URL", fake.url)
        yield fake


def test_migrate_there_and_back(
    ready: Folio, server: FakeQdrant, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("FOLIO_QDRANT_SHARD_NUMBER", "6")
    monkeypatch.setenv("FOLIO_QDRANT_REPLICATION_FACTOR", "2")
    there = ready("migrate", "--json").json()
    name = there.pop("to")
    assert there == {"documents": 2, "chunks": 3, "written": 3, "from": "store"}
    (made,) = [body for path, body in server.requests if path.startswith("PUT") and body and "vectors" in body]
    assert (made["shard_number"], made["replication_factor"]) == (6, 2)
    assert ready("migrate", "--back").out.splitlines() == [
        f"2 documents, 3 chunks are now in the folder {tmp_path / 'home' / name.replace('folio', 'store')}; "
        f"the collection {name} of a Qdrant server was left as it is",
        "unset FOLIO_QDRANT_URL to use them",
    ]


def test_reindex_says_what_it_did(ready: Folio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrieval.upkeep.migration.open_embedder", lambda _settings: CharacterEmbedder())
    assert ready("reindex").out == "2 documents, 3 chunks, with the vectors of characters kept\n"
    assert ready("reindex", "--json").json() == {
        "documents": 2,
        "chunks": 3,
        "written": 3,
        "embed_model": "characters",
        "embedded": False,
    }


def test_what_a_person_can_mend_is_one_line(ready: Folio) -> None:
    done = ready("migrate")
    assert done.is_one_line
    assert "FOLIO_QDRANT_URL is not set" in done.err
