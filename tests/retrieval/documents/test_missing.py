from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.view.ingest import problems_text, report_json
from retrieval.knowledge_base import KnowledgeBase
from retrieval.settings import RetrievalSettings
from tests.fakes import CharacterEmbedder


@pytest.fixture
def base(tmp_path: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(RetrievalSettings(home=tmp_path / "home"), embedder=CharacterEmbedder()) as base:
        for name in ("docs/a.md", "docs/b c.md", "docs/sub/c.md", "docs 2/d.md"):
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(f"# {name}\n\n年假 5 天。\n", encoding="utf-8")
        base.ingest([Path("docs"), Path("docs 2")])
        base.ingest_data("# 丁\n\n住宿 500 元。\n".encode(), "docs/piped.md")
        yield base


def test_documents_of_a_folder_without_a_file_are_told_and_kept(base: KnowledgeBase) -> None:
    for name in ("docs/b c.md", "docs/sub/c.md", "docs 2/d.md"):
        Path(name).unlink()
    report = base.ingest([Path("docs")])
    assert report.missing == ["docs/b c.md", "docs/sub/c.md"]
    assert report_json(report)["missing"] == ["docs/b c.md", "docs/sub/c.md"]
    assert problems_text(report) == [
        "warning  2 documents no longer have a file (docs/b c.md, docs/sub/c.md); "
        "to remove the first: folio documents delete 'docs/b c.md'"
    ]
    assert len(base.documents()) == 5
    base.delete("docs/b c.md")
    assert problems_text(base.ingest([Path("docs")])) == [
        "warning  1 document no longer has a file (docs/sub/c.md); to remove it: folio documents delete docs/sub/c.md"
    ]


def test_a_file_that_was_named_and_is_gone(base: KnowledgeBase) -> None:
    Path("docs/a.md").unlink()
    report = base.ingest([Path("docs/a.md")])
    assert report.failed == [("docs/a.md", "no such file or folder")]
    assert report.missing == ["docs/a.md"]


def test_nothing_is_missing(base: KnowledgeBase) -> None:
    Path("docs/a.md").rename("docs/renamed.md")
    for paths in ([Path("docs")], [Path("docs/renamed.md")], [Path("docs/*.md")]):
        report = base.ingest(paths)
        assert report.missing == []
        assert "missing" not in report_json(report)


def test_of_a_folder_that_is_not_there_nothing_is_known(base: KnowledgeBase) -> None:
    Path("docs").rename("away")
    assert base.ingest([Path("docs")]).missing == []
