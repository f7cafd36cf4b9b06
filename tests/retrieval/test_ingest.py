from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest

import retrieval.ingest
from preprocessing.document import Document
from preprocessing.errors import LoadError
from preprocessing.load import load
from preprocessing.prepare import ChunkingSettings
from retrieval.documents.catalogue import Catalogue
from retrieval.ingest import Given, decide, readings, shape_of

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


def test_what_is_unchanged_is_not_read(loaders: type[LoadersNow]) -> None:
    catalogue, given = Catalogue("sqlite://"), files(2)
    first, _ = readings(given, {}, SHAPE, catalogue)
    decision = decide(first, {}, catalogue)
    assert decision.document
    assert decision.file
    catalogue.begin(replace(decision.document, doc_id=given[0].doc_id), decision.revision)
    catalogue.commit(given[0].doc_id, decision.revision, 1, decision.file)
    loaders.asked.clear()
    assert [decide(reading, {}, catalogue).outcome for reading in readings(given, {}, SHAPE, catalogue)] == [
        "unchanged",
        "new",
    ]
    assert loaders.asked == ["1.md"]


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
