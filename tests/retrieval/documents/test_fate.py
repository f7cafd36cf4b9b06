"""What became of a document since it was read."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from preprocessing.document import Chunk
from retrieval.knowledge_base import KnowledgeBase
from retrieval.settings import RetrievalSettings
from tests.fakes import CharacterEmbedder

OLD, NEW = "# 年假\n\n年假 5 天。\n", "# 年假\n\n年假 12 天。\n"


@pytest.fixture
def base(tmp_path: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(RetrievalSettings(home=tmp_path / "home"), embedder=CharacterEmbedder()) as base:
        put(base, "leave.md", OLD)
        put(base, "other.md", "# 其他\n\n其他规定。\n")
        yield base


def put(base: KnowledgeBase, name: str, text: str, **metadata: str) -> None:
    Path(name).write_text(text, encoding="utf-8")
    assert not base.ingest([Path(name)], metadata).failed


def read(base: KnowledgeBase) -> Chunk:
    return base.search("年假", 1)[0].chunk


def fate(base: KnowledgeBase, chunk: Chunk) -> str:
    return base.fate_of(chunk.doc_id, chunk.revision, chunk.content_hash)


def test_what_nobody_touched_is_the_same(base: KnowledgeBase) -> None:
    chunk = read(base)
    put(base, "leave.md", OLD)
    put(base, "other.md", NEW)
    assert fate(base, chunk) == "same"


def test_a_changed_document_is_the_same_again_when_it_is_changed_back(base: KnowledgeBase) -> None:
    chunk = read(base)
    put(base, "leave.md", NEW)
    assert fate(base, chunk) == "changed"
    put(base, "leave.md", OLD)
    assert fate(base, chunk) == "same"


def test_a_new_state_of_the_same_content_is_no_change(base: KnowledgeBase) -> None:
    chunk = read(base)
    put(base, "leave.md", OLD, department="hr")
    assert read(base).revision != chunk.revision
    assert fate(base, chunk) == "same"


def test_a_deleted_document_is_gone_unless_its_content_is_in_under_another_name(base: KnowledgeBase) -> None:
    chunk = read(base)
    put(base, "copy.md", OLD)
    base.delete("leave.md")
    assert fate(base, chunk) == "same"
    base.delete("copy.md")
    assert fate(base, chunk) == "deleted"


def test_a_renamed_document_is_the_same(base: KnowledgeBase) -> None:
    chunk = read(base)
    Path("leave.md").rename("renamed.md")
    base.ingest([Path("renamed.md")])
    assert [record.source for record in base.documents()] == ["other.md", "renamed.md"]
    assert fate(base, chunk) == "same"


@pytest.mark.parametrize(("begins", "is_now"), [("2020-01-01", "superseded"), ("2999-01-01", "same")])
def test_a_document_is_superseded_from_the_day_on_that_the_newer_one_names(
    base: KnowledgeBase, begins: str, is_now: str
) -> None:
    chunk = read(base)
    put(base, "new.md", NEW, supersedes="leave.md", effective_from=begins)
    assert fate(base, chunk) == is_now
