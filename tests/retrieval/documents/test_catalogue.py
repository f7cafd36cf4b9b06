from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest
import sqlalchemy as sa

from preprocessing.document import Document
from preprocessing.errors import FolioError
from retrieval.documents.catalogue import Catalogue, UnknownDocument


def document(name: str, **fields: object) -> Document:
    values = {"doc_id": name, "source": f"docs/{name}.md", "title": name, "blocks": (), "doc_type": "md"}
    return Document(**values, content_hash="h", **fields)  # type: ignore[arg-type]


@pytest.fixture
def catalogue(new_database: Callable[[], str]) -> Iterator[Catalogue]:
    catalogue = Catalogue(new_database())
    yield catalogue
    catalogue.close()


def test_a_state_is_hidden_until_it_is_committed(catalogue: Catalogue) -> None:
    catalogue.begin(document("a"), "r1")
    assert catalogue.documents() == []
    assert catalogue.is_empty()
    assert catalogue.hidden_revisions() == {"r1"}
    catalogue.commit("a", "r1", 3)
    assert not catalogue.is_empty()
    assert [(record.source, record.chunks) for record in catalogue.documents()] == [("docs/a.md", 3)]
    assert catalogue.hidden_revisions() == set()


def test_a_new_state_takes_the_place_of_the_old_one_in_one_step(catalogue: Catalogue) -> None:
    for revision in ("r1", "r2"):
        catalogue.begin(document("a"), revision)
        catalogue.commit("a", revision, 1)
    assert [record.revision for record in catalogue.documents()] == ["r2"]
    assert catalogue.hidden_revisions() == {"r1"}
    assert catalogue.leftovers() == ["r1"]
    catalogue.forget("r1")
    assert catalogue.hidden_revisions() == set()


def test_a_deleted_document_is_hidden_at_once(catalogue: Catalogue) -> None:
    catalogue.begin(document("a"), "r1")
    catalogue.commit("a", "r1", 1)
    catalogue.retire("a")
    assert catalogue.documents() == []
    assert catalogue.hidden_revisions() == {"r1"}


def test_every_change_has_a_generation_of_its_own(catalogue: Catalogue) -> None:
    assert catalogue.generation == 0
    catalogue.begin(document("a"), "r1")
    assert catalogue.generation == 0
    catalogue.commit("a", "r1", 1)
    assert catalogue.generation == 1
    catalogue.retire("a")
    assert catalogue.generation == 2


@pytest.mark.parametrize("name", ["old.md", "docs/old.md", "old"])
@pytest.mark.parametrize("newest_first", [True, False])
def test_a_superseded_document_is_hidden_whatever_came_in_first(
    catalogue: Catalogue, name: str, newest_first: bool
) -> None:
    documents = [document("old"), document("new", metadata={"supersedes": name})]
    for one in reversed(documents) if newest_first else documents:
        catalogue.begin(one, f"r-{one.doc_id}")
        catalogue.commit(one.doc_id, f"r-{one.doc_id}", 1)
    assert catalogue.hidden_revisions() == {"r-old"}
    assert {record.source: record.superseded_by for record in catalogue.documents()} == {
        "docs/new.md": None,
        "docs/old.md": "docs/new.md",
    }


def test_a_document_never_supersedes_itself(catalogue: Catalogue) -> None:
    catalogue.begin(document("a", metadata={"supersedes": "a.md"}), "r1")
    catalogue.commit("a", "r1", 1)
    assert catalogue.hidden_revisions() == set()


def test_when_the_newer_document_goes_the_older_one_is_found_again(catalogue: Catalogue) -> None:
    for one in (document("old"), document("new", metadata={"supersedes": "old.md"})):
        catalogue.begin(one, f"r-{one.doc_id}")
        catalogue.commit(one.doc_id, f"r-{one.doc_id}", 1)
    catalogue.retire("new")
    catalogue.forget("r-new")
    assert catalogue.hidden_revisions() == set()


def test_find_by_id_or_source(catalogue: Catalogue) -> None:
    catalogue.begin(document("a"), "r1")
    catalogue.commit("a", "r1", 1)
    assert catalogue.find("a") == catalogue.find("docs/a.md")
    with pytest.raises(UnknownDocument, match="no document 'b'"):
        catalogue.find("b")


def test_the_manifest_survives_reopening(new_database: Callable[[], str]) -> None:
    url = new_database()
    with_values = Catalogue(url)
    with_values.write_manifest(embed_model="m", dimension=4)
    with_values.close()
    again = Catalogue(url)
    assert again.manifest() == {"embed_model": "m", "dimension": 4}
    again.close()


def test_a_catalogue_of_an_earlier_version_gets_what_it_lacks(new_database: Callable[[], str]) -> None:
    url = new_database()
    first = Catalogue(url)
    first.begin(document("a"), "r1")
    first.commit("a", "r1", 1)
    with first._engine.begin() as connection:
        connection.execute(sa.text("ALTER TABLE documents DROP COLUMN effective_from"))
        connection.execute(sa.text("DROP TABLE failures"))
    first.close()
    again = Catalogue(url)
    again.begin(document("b", metadata={"effective_from": "2024-01-01", "effective_to": ("2024-12-31",)}), "r2")
    again.commit("b", "r2", 1)
    dates = {record.doc_id: (record.effective_from, record.effective_to) for record in again.documents()}
    assert dates == {"a": (None, None), "b": ("2024-01-01", "2024-12-31")}
    assert again.hidden_revisions(as_of=date(2025, 1, 1)) == {"r2"}
    assert again.failure_of("x.md") is None
    again.close()


def test_documents_are_listed_by_source_in_one_order_everywhere(catalogue: Catalogue) -> None:
    for name in ("b", "A", "年假", "a b", "a-b", "B"):
        catalogue.begin(document(name, metadata={"supersedes": "\0"}), f"r-{name}")
        catalogue.commit(name, f"r-{name}", 1)
    assert [record.doc_id for record in catalogue.documents()] == ["A", "B", "a b", "a-b", "b", "年假"]


def test_the_last_failure_of_a_file_is_remembered(catalogue: Catalogue) -> None:
    catalogue.note_outcome(["good.md"], {"bad.md": "file is empty", "worse.md": "no text"})
    catalogue.note_outcome([], {"bad.md": "damaged"})
    assert [catalogue.failure_of(name) for name in ("good.md", "bad.md", "worse.md")] == [None, "damaged", "no text"]
    catalogue.note_outcome(["bad.md"], {})
    assert [catalogue.failure_of(name) for name in ("bad.md", "worse.md")] == [None, "no text"]


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "catalogue.db").write_bytes(b"no database" * 100)
    with pytest.raises(FolioError, match=r"catalogue\.db cannot be used \(file is not a database\): restore a backup"):
        Catalogue.in_folder(tmp_path)
