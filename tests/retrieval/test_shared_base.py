"""Several processes on one server: each searches whole states, one at a time writes."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from preprocessing.document import Document
from retrieval.documents.lease import WriterBusy
from retrieval.documents.manifest import IndexMismatch, StoreElsewhere
from retrieval.knowledge_base import KnowledgeBase
from retrieval.search import NoDocuments
from retrieval.settings import RetrievalSettings
from tests.retrieval.shared_base import LEAVE, LEAVE_NEW, PAY, TRAVEL, found, opened, write
from tests.retrieval.store.fake_qdrant import FakeQdrant, running

pytestmark = pytest.mark.enable_socket


@pytest.fixture
def server() -> Iterator[FakeQdrant]:
    with running() as fake:
        yield fake


@pytest.fixture
def settings(server: FakeQdrant, tmp_path: Path) -> RetrievalSettings:
    return RetrievalSettings(home=tmp_path / "home", qdrant_url=server.url)


@pytest.fixture
def base(settings: RetrievalSettings) -> Iterator[KnowledgeBase]:
    with opened(settings) as base:
        base.ingest([write("docs/leave.md", LEAVE), write("docs/travel.md", TRAVEL), write("docs/pay.md", PAY)])
        yield base


def test_another_process_sees_every_change(base: KnowledgeBase, settings: RetrievalSettings) -> None:
    with opened(settings) as another:
        base.ingest([write("docs/leave.md", LEAVE_NEW)])
        assert found(another, "年假", k=1) == ["员工年假 12 天。"]
        assert "探亲假 20 天。" not in found(another, "探亲假", k=20)
        another.delete("docs/travel.md")
        assert [record.source for record in base.documents()] == ["docs/leave.md", "docs/pay.md"]
        assert found(base, "ppr-9087", mode="keyword") == []


def test_a_search_never_mixes_states_that_another_process_changes(
    base: KnowledgeBase, settings: RetrievalSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(settings) as another:
        search_keyword, changes = another.engine.store.search_keyword, [LEAVE_NEW]

        def change_meanwhile(*asked: object) -> object:
            if changes:
                base.ingest([write("docs/leave.md", changes.pop())])
            return search_keyword(*asked)  # type: ignore[arg-type]

        # The vector leg has found the old state, and only now the document becomes another.
        monkeypatch.setattr(another.engine.store, "search_keyword", change_meanwhile)
        assert found(another, "年假 探亲假", k=20, filters={"source": ("docs/leave.md",)}) == ["员工年假 12 天。"]
        assert changes == []


def test_one_process_writes_at_a_time(base: KnowledgeBase, settings: RetrievalSettings) -> None:
    with opened(settings) as another, ExitStack() as busy:
        busy.enter_context(base._catalogue.writing())
        with pytest.raises(WriterBusy, match=rf"process {os.getpid()} on .+ is changing the documents: wait"):
            another.ingest([write("docs/new.md", TRAVEL)])
        with pytest.raises(WriterBusy):
            another.delete("docs/leave.md")
        assert found(another, "探亲假", k=1) == ["探亲假 20 天。"]
        busy.close()
        assert another.ingest([write("docs/new.md", "# 新\n\n新的规定。\n")]).failed == []


HOLD = """
import sys
from retrieval.documents.catalogue import Catalogue
with Catalogue(sys.argv[1]).writing():
    sys.stdout.write("holds\\n")
    sys.stdout.flush()
    sys.stdin.read()
"""


def test_a_writer_that_was_killed_leaves_a_state_that_the_next_one_removes(
    base: KnowledgeBase, settings: RetrievalSettings
) -> None:
    root = Path(__file__).parents[2]
    address = f"sqlite:///{settings.home / 'catalogue.db'}"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, address],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(root)},
        encoding="utf-8",
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "holds\n"
        with pytest.raises(WriterBusy, match=f"process {holder.pid} on"):
            base.delete("docs/leave.md")
        holder.kill()
        holder.wait()
    record = base.documents()[0]
    chunks, vectors = base.engine.store.read_revision(record.revision)
    document = Document("d9", "docs/half.md", "", (), "md", content_hash="")
    base._catalogue.begin(document, "half")
    base.engine.store.upsert([replace(chunk, chunk_id=f"h{chunk.index}", revision="half") for chunk in chunks], vectors)
    with opened(settings) as another:
        # Reading processes leave it alone, since another may be writing it, and see nothing of it.
        assert another.engine.store.count("half") == len(chunks)
        assert found(another, "探亲假", k=20).count("探亲假 20 天。") == 1
        another.ingest([write("docs/new.md", "# 新\n\n新的规定。\n")])
        assert another.engine.store.count("half") == 0


def test_documents_that_were_moved_are_not_searched_where_they_were(base: KnowledgeBase) -> None:
    base._catalogue.write_manifest(store={"kind": "server", "name": "folio-new"})
    for ask in (lambda: base.search("年假"), lambda: base.delete("docs/leave.md")):
        with pytest.raises(StoreElsewhere, match="moved by folio reindex or folio migrate: start this process again"):
            ask()


def test_keywords_of_another_tokenizer_are_refused(base: KnowledgeBase, settings: RetrievalSettings) -> None:
    base._catalogue.write_manifest(tokenizer="older")
    with pytest.raises(IndexMismatch, match=r"cut by the tokenizer older.*run folio reindex"):
        opened(settings)


def test_settings_that_name_another_place_are_refused(base: KnowledgeBase, settings: RetrievalSettings) -> None:
    with pytest.raises(
        StoreElsewhere, match=r"in the collection folio of a Qdrant server: set FOLIO_QDRANT_URL; folio mig"
    ):
        opened(settings.model_copy(update={"qdrant_url": None}))
    with pytest.raises(StoreElsewhere, match="FOLIO_QDRANT_COLLECTION is other; set it back"):
        opened(settings.model_copy(update={"qdrant_collection": "other"}))


def test_a_server_that_holds_nothing_is_not_taken_for_an_empty_knowledge_base(
    base: KnowledgeBase, settings: RetrievalSettings
) -> None:
    with (
        running() as wrong,
        pytest.raises(StoreElsewhere, match=r"is empty, though there are documents.*FOLIO_QDRANT_URL"),
    ):
        opened(settings.model_copy(update={"qdrant_url": wrong.url}))


def test_a_folder_with_documents_wants_a_migration(server: FakeQdrant, tmp_path: Path) -> None:
    here = RetrievalSettings(home=tmp_path / "home")
    with opened(here) as base:
        with pytest.raises(NoDocuments):
            base.search("年假")
        base.ingest([write("leave.md", LEAVE)])
    with pytest.raises(StoreElsewhere, match=r"in the folder .+store: run folio migrate"):
        opened(here.model_copy(update={"qdrant_url": server.url}))


def test_machines_share_documents_by_a_database(
    server: FakeQdrant, new_database: Callable[[], str], tmp_path: Path
) -> None:
    url = new_database()
    one, other = (
        RetrievalSettings(home=tmp_path / name, qdrant_url=server.url, database_url=url)  # type: ignore[arg-type]
        for name in ("one", "other")
    )
    with opened(one) as base, opened(other) as another:
        base.ingest([write("leave.md", LEAVE)])
        assert found(another, "探亲假", k=1) == ["探亲假 20 天。"]
        assert [record.source for record in another.documents()] == ["leave.md"]
        with base._catalogue.writing(), pytest.raises(WriterBusy):
            another.delete("leave.md")
        another.ingest([write("leave.md", LEAVE_NEW)])
        assert found(base, "年假", k=1) == ["员工年假 12 天。"]
        base.delete("leave.md")
        assert another.documents() == []
    assert not (tmp_path / "one" / "catalogue.db").exists()


def test_a_folder_of_documents_may_have_its_list_in_a_database(new_database: Callable[[], str], tmp_path: Path) -> None:
    settings = RetrievalSettings(home=tmp_path / "home", database_url=new_database())  # type: ignore[arg-type]
    with opened(settings) as base:
        base.ingest([write("leave.md", LEAVE), write("copy.md", LEAVE)])
    with opened(settings) as base:
        assert [(record.source, record.same_as is None) for record in base.documents()] == [
            ("copy.md", False),
            ("leave.md", True),
        ]
        base.delete("leave.md")
        assert found(base, "探亲假", k=1) == ["探亲假 20 天。"]
