from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import ClassVar

import pytest

import retrieval.ingest
from agent.view.ingest import problems_text, report_json
from preprocessing.document import Document
from preprocessing.errors import LoadError
from preprocessing.load import load
from preprocessing.prepare import ChunkingSettings
from retrieval.documents.catalogue import Catalogue
from retrieval.ingest import Given, UnsafeName, decide, given_data, readings, shape_of
from retrieval.knowledge_base import KnowledgeBase
from retrieval.settings import RetrievalSettings
from tests.fakes import CharacterEmbedder

SHAPE = shape_of("characters", ChunkingSettings())


class LoadersNow:
    """Loads in the thread of the caller and remembers what it was asked."""

    count = 1
    asked: ClassVar[list[str]] = []
    closed: ClassVar[list[bool]] = []

    def __enter__(self) -> "LoadersNow":
        return self

    def __exit__(self, *_exception: object) -> None:
        self.closed.append(True)

    def load(self, path: Path, source: str, metadata: Mapping[str, str | tuple[str, ...]]) -> Future[Document]:
        self.asked.append(source)
        future: Future[Document] = Future()
        try:
            future.set_result(load(path, source=source, metadata=metadata))
        except LoadError as error:
            future.set_exception(error)
        return future


@pytest.fixture
def loaders(monkeypatch: pytest.MonkeyPatch) -> type[LoadersNow]:
    monkeypatch.setattr(retrieval.ingest, "Loaders", LoadersNow)
    LoadersNow.asked, LoadersNow.closed = [], []
    return LoadersNow


def files(count: int) -> list[Given]:
    for number in range(count):
        Path(f"{number}.md").write_text(f"# {number}\n\n年假 {number} 天。\n", encoding="utf-8")
    return [Given.at(Path(f"{number}.md")) for number in range(count)]


def test_files_come_in_order_while_the_next_ones_are_read(loaders: type[LoadersNow]) -> None:
    begun = readings(files(12), {}, SHAPE, Catalogue("sqlite://"))
    assert next(begun).given.source == "0.md"
    assert loaders.asked == [f"{number}.md" for number in range(9)]
    assert [reading.given.source for reading in begun] == [f"{number}.md" for number in range(1, 12)]
    assert loaders.asked == [f"{number}.md" for number in range(12)]


def test_a_file_that_cannot_be_read_fails_in_its_turn(loaders: type[LoadersNow]) -> None:
    given = files(3)
    Path("0.md").unlink()
    Path("1.md").write_bytes(b"")
    catalogue = Catalogue("sqlite://")
    zero, one, two = readings(given, {}, SHAPE, catalogue)
    with pytest.raises(LoadError, match="cannot be read: No such file or directory"):
        decide(zero, {}, catalogue)
    with pytest.raises(LoadError, match=r"1\.md: file is empty"):
        decide(one, {}, catalogue)
    assert decide(two, {}, catalogue).outcome == "new"


@pytest.mark.parametrize("name", ["notes.md", "hr/notes.md", "制度 V2.md", "12:30.txt", "...md", "a..b.md"])
def test_what_is_piped_goes_by_its_name(name: str) -> None:
    with given_data(b"text", name) as given:
        assert (given.source, given.path.name, given.path.read_bytes()) == (name, Path(name).name, b"text")
        assert not given.lasts
    assert not given.path.exists()


@pytest.mark.parametrize(
    "name",
    [
        "../notes.md", "hr/../../notes.md", "/tmp/notes.md", "C:\\notes.md", "C:notes.md", "..\\notes.md",
        "\\\\server\\share\\notes.md", "..", ".", "", "a\0b.md", "a\nb.md", "x" * 300 + ".md",
    ],
)  # fmt: skip
def test_a_name_that_leads_elsewhere_is_refused(name: str, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(UnsafeName, match=r"is no name for a document; a right one is notes\.md") as caught:  # noqa: SIM117
        with given_data(b"text", name):
            pass
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500
    assert sorted(tmp_path.rglob("*")) == before


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
