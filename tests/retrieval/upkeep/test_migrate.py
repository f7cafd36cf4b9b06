"""Documents go from the folder to a server and back: all of them, once, and the source stays as it was."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from preprocessing.document import Chunk
from preprocessing.errors import FolioError
from retrieval.documents.catalogue import Catalogue
from retrieval.hit import Hit
from retrieval.knowledge_base import KnowledgeBase
from retrieval.settings import RetrievalSettings
from retrieval.store.edge import EdgeStore
from retrieval.upkeep.migration import MigrateError, TransferError, Transferred, migrate
from tests.fakes import CHARACTERS
from tests.retrieval.shared_base import LEAVE, LEAVE_NEW, PAY, TRAVEL, found, opened, write
from tests.retrieval.store.fake_qdrant import FakeQdrant, running

pytestmark = pytest.mark.enable_socket


@pytest.fixture
def server() -> Iterator[FakeQdrant]:
    with running() as fake:
        yield fake


@pytest.fixture
def here(tmp_path: Path) -> RetrievalSettings:
    settings = RetrievalSettings(home=tmp_path / "home")
    with opened(settings) as base:
        base.ingest([write("docs/leave.md", LEAVE), write("docs/travel.md", TRAVEL), write("docs/pay.md", PAY)])
        base.ingest([write("docs/copy.md", LEAVE)])
    return settings


@pytest.fixture
def there(here: RetrievalSettings, server: FakeQdrant) -> RetrievalSettings:
    return here.model_copy(update={"qdrant_url": server.url})


def everything(base: KnowledgeBase) -> dict[str, Any]:
    hits: list[Hit] = base.search("年假 探亲假 工资", 20, "vector", viewer=["hr"])
    scores = {hit.chunk.chunk_id: (hit.chunk, pytest.approx(hit.legs["vector"].score, abs=1e-5)) for hit in hits}
    return {"documents": base.documents(), "chunks": base.engine.store.count(), "hits": scores}


def in_folder(settings: RetrievalSettings) -> dict[str, Chunk]:
    with closing(EdgeStore.open(settings.home / "store", CHARACTERS)) as store:
        return {chunk.chunk_id: chunk for chunk in store.scan()}


def test_there_and_back(here: RetrievalSettings, there: RetrievalSettings) -> None:
    with opened(here) as base:
        before = everything(base)
    source = in_folder(here)
    done = migrate(there)
    assert done.transferred == Transferred(documents=4, chunks=4, written=4)
    assert (done.old.kind, done.new.kind) == ("folder", "server")
    assert in_folder(here) == source
    with opened(there) as base:
        assert everything(base) == before
        assert found(base, "ppr-9087", k=1, mode="keyword") == ["Hotels up to 500 yuan a night, form PPR-9087."]
        base.ingest([write("docs/leave.md", LEAVE_NEW)])
        changed = everything(base)
    assert migrate(there, back=True).transferred.chunks == 5
    with opened(here) as base:
        assert everything(base) == changed
        leave = {"source": ("docs/leave.md",)}
        assert found(base, "员工年假", mode="keyword", filters=leave) == ["员工年假 12 天。"]


def test_a_stop_changes_nothing_and_the_work_goes_on(
    here: RetrievalSettings, there: RetrievalSettings, server: FakeQdrant
) -> None:
    calls = []

    def stop_at_the_third(done: int, total: int, source: str) -> None:
        calls.append((done, total, source))
        if len(calls) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        migrate(there, progress=stop_at_the_third)
    assert [(done, total) for done, total, _ in calls] == [(0, 4), (2, 4), (3, 4)]
    with opened(here) as base:
        # The document that was on its way becomes another before the work goes on.
        base.ingest([write("docs/travel.md", TRAVEL.replace("500", "600"))])
    assert migrate(there).transferred.written < 4
    with opened(there) as base:
        assert base.engine.store.count() == 4
        assert found(base, "hotels", k=1, mode="keyword") == ["Hotels up to 600 yuan a night, form PPR-9087."]


def test_documents_that_changed_since_a_stop_leave_nothing_behind(
    here: RetrievalSettings, there: RetrievalSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_arguments: object, **_values: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        # All is written, and only the switch is missing.
        patch.setattr(Catalogue, "write_manifest", never)
        with pytest.raises(KeyboardInterrupt):
            migrate(there)
    with opened(here) as base:
        base.delete("docs/travel.md")
    assert migrate(there).transferred == Transferred(documents=3, chunks=3, written=0)
    with opened(there) as base:
        assert base.engine.store.count() == 3


def test_a_store_that_lost_chunks_is_not_passed_on(here: RetrievalSettings, there: RetrievalSettings) -> None:
    with opened(here) as base:
        record = next(one for one in base.documents() if one.source == "docs/travel.md")
        base.engine.store.delete_revision(record.revision)
    with pytest.raises(TransferError, match=r"docs/travel\.md: the store that is read holds 0 of its 1 chunks"):
        migrate(there)
    with opened(here) as base:
        assert len(base.documents()) == 4


def test_what_cannot_be_migrated_says_why(here: RetrievalSettings, there: RetrievalSettings, tmp_path: Path) -> None:
    with pytest.raises(MigrateError, match="FOLIO_QDRANT_URL is not set; a right one is http"):
        migrate(here)
    with pytest.raises(MigrateError, match=r"the documents are in the folder .+store already"):
        migrate(there, back=True)
    empty = there.model_copy(update={"home": tmp_path / "none"})
    with pytest.raises(MigrateError, match=r"there are no documents in .+; run: folio ingest PATH"):
        migrate(empty)
    migrate(there)
    with pytest.raises(MigrateError, match=r"in the collection folio-\w{8} of a Qdrant server already"):
        migrate(there)
    assert issubclass(MigrateError, FolioError)
