from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest
import sqlalchemy as sa

from preprocessing.document import Document
from preprocessing.errors import FolioError
from retrieval.documents.catalogue import Catalogue


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


def test_every_change_has_a_generation_of_its_own(catalogue: Catalogue) -> None:
    assert catalogue.generation == 0
    catalogue.begin(document("a"), "r1")
    assert catalogue.generation == 0
    catalogue.commit("a", "r1", 1)
    assert catalogue.generation == 1
    catalogue.retire("a")
    assert catalogue.generation == 2


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
