"""The story of ingest: a file is unchanged, or read, and its state put in the place of what was there before."""

import hashlib
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, Self

from preprocessing.discover import discover
from preprocessing.document import Document
from preprocessing.errors import FolioError, LoadError
from preprocessing.load import load
from preprocessing.prepare import PREPARE_VERSION, ChunkingSettings
from preprocessing.source import document_id, source_of
from preprocessing.visibility import KEY, PUBLIC, groups_of
from retrieval.catalogue import Catalogue
from retrieval.copies import FileState

logger = logging.getLogger(__name__)

Metadata = Mapping[str, str | tuple[str, ...]]
Outcome = Literal["new", "updated", "unchanged"]
Shape = tuple[int, str, str]
"""What shapes the chunks of every document alike; see `shape_of`."""


@dataclass(slots=True)
class IngestReport:
    """What an ingest did."""

    documents: int = 0
    """Files that are in the knowledge base after it: new, updated and unchanged."""
    chunks: int = 0
    """Chunks of those files; files of the same content share theirs."""
    unchanged: int = 0
    """Files that are in as they were, under this name or another."""
    updated: int = 0
    """Files that replaced an earlier state."""
    failed: list[tuple[str, str]] = field(default_factory=list)
    """(source, error) of files that are not in."""
    warnings: list[tuple[str, str]] = field(default_factory=list)
    """(source, warning) of files that are in, with something a person should know."""


@dataclass(frozen=True, slots=True)
class Given:
    """A file to bring in."""

    path: Path
    """Where its bytes are."""
    source: str
    doc_id: str
    lasts: bool = True
    """False when the path ends with the ingest, and its absence later means nothing."""

    @classmethod
    def at(cls, path: Path) -> Self:
        """Return a file that a person named."""
        return cls(path, source_of(path), document_id(path))


def given_at(paths: Sequence[Path]) -> tuple[list[Given], list[tuple[str, str]]]:
    """Return the files that the paths mean, and (source, reason) of those that cannot be brought in."""
    files, left_out = discover(paths)
    return [Given.at(path) for path in files], [(source_of(path), reason) for path, reason in left_out]


@contextmanager
def given_data(data: bytes, name: str) -> Iterator[Given]:
    """Yield what has no file of its own, as a file of that name in the working folder would be."""
    with TemporaryDirectory() as folder:
        # Only the last part of the name is used, so that it cannot lead out of the folder.
        path = Path(folder, Path(name).name)
        path.write_bytes(data)
        yield Given(path, source_of(Path(name)), document_id(Path(name)), lasts=False)


@dataclass(frozen=True, slots=True)
class Decision:
    """What is to be done with a file."""

    outcome: Outcome
    revision: str
    document: Document | None = None
    """What was read; None when the file is unchanged."""
    file: FileState | None = None
    twin: str | None = None
    """Id of a document with the same chunks."""
    renamed_from: str | None = None
    """Id of the document whose file has these bytes and is no longer where it was."""


def _made_public(metadata: Metadata) -> bool:
    return groups_of(metadata.get(KEY, ())) == (PUBLIC,)


def shape_of(model_id: str, chunking: ChunkingSettings) -> Shape:
    """Return what shapes the chunks and vectors of every document: another one means that all are ingested anew."""
    return PREPARE_VERSION, model_id, chunking.model_dump_json()


def decide(given: Given, metadata: Metadata, shape: Shape, catalogue: Catalogue) -> Decision:
    """Read a file where it has to be read, and say what is to be done. Raises LoadError."""
    before = catalogue.current(given.doc_id)
    revision = _revision(given, metadata, shape)
    if before and before.revision == revision:
        return Decision("unchanged", revision)
    document = replace(load(given.path, source=given.source, metadata=metadata), doc_id=given.doc_id)
    if before and before.visible_to and KEY not in document.metadata and not _made_public(metadata):
        raise LoadError(
            f"was visible to {', '.join(before.visible_to)} only and now says nothing of it; "
            f"say --meta {KEY}={before.visible_to[0]} again, or --meta {KEY}={PUBLIC} to show it to everybody"
        )
    path = str(given.path.resolve()) if given.lasts else None
    file = FileState(path, document.content_hash, _fingerprint(document, shape))
    others = catalogue.files_of_content(document.content_hash)
    others.pop(given.doc_id, None)
    twins = [doc_id for doc_id, other in others.items() if other.fingerprint == file.fingerprint]
    # A file that went away and came back under another title is renamed too, though its chunks are others.
    gone = [doc_id for doc_id in (*twins, *others) if others[doc_id].is_gone]
    renamed_from = gone[0] if gone else None
    if not before and renamed_from in twins:
        outcome: Outcome = "unchanged"
    else:
        outcome = "updated" if before or renamed_from else "new"
    return Decision(outcome, revision, document, file, twins[0] if twins else None, renamed_from)


def reason(error: Exception, source: str) -> str:
    """Return why a file is not in, in one line; what is no fault of the file is logged with its stack trace."""
    if isinstance(error, FolioError):
        return str(error).removeprefix(f"{source}: ")
    logger.error("could not read %s", source, exc_info=error)
    return f"unexpected {type(error).__name__}: {error}"


def _revision(given: Given, metadata: Metadata, shape: Shape) -> str:
    """Identify what ingesting the file would make: its name, its bytes and everything that shapes its chunks."""
    digest = hashlib.sha256(given.doc_id.encode())
    digest.update(repr((sorted(metadata.items()), *shape)).encode())
    with given.path.open("rb") as file:
        digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:32]


def _fingerprint(document: Document, shape: Shape) -> str:
    """Identify the chunks, all that is searched with them, and who may see them; the name and date are left out."""
    about = (document.title, document.version, document.doc_type, sorted(document.metadata.items()))
    return hashlib.sha256(repr((document.content_hash, about, shape)).encode()).hexdigest()
