"""The story of ingest: what a person gives is unchanged, or read and put in the place of its revision before."""

import hashlib
import logging
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path, PureWindowsPath
from tempfile import TemporaryDirectory
from typing import Literal, Self

from preprocessing.discover import discover
from preprocessing.document import Document, document_id, source_of
from preprocessing.errors import FolioError, LoadError
from preprocessing.loader import Loaders
from preprocessing.prepare import PREPARE_VERSION, ChunkingSettings
from preprocessing.visibility import KEY, PUBLIC, groups_of
from retrieval.documents.catalogue import Catalogue
from retrieval.documents.manifest import check_manifest, chunk_model
from retrieval.documents.schema import FileState
from retrieval.embed.embedder import Embedder
from retrieval.settings import RetrievalSettings

Metadata = Mapping[str, str | tuple[str, ...]]

_MOST_NAME_BYTES = 200


class UnsafeName(FolioError):
    """A name is none that a file of the working folder could have."""


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
    """Yield what has no file of its own, as a file of that name in the working folder would be.

    Raises UnsafeName for a name that leads out of it.
    """
    _check_name(name)
    with TemporaryDirectory() as folder:
        # Only the last part of the name is used, so that it cannot lead out of the folder.
        path = Path(folder, Path(name).name)
        path.write_bytes(data)
        yield Given(path, source_of(Path(name)), document_id(Path(name)), lasts=False)


def _check_name(name: str) -> None:
    # Read as on Windows, where both slashes part folders: the name may come from any machine.
    path = PureWindowsPath(name)
    is_inside = not path.drive and not path.root and ".." not in path.parts
    is_name = name.isprintable() and path.name and len(path.name.encode("utf-8", "replace")) <= _MOST_NAME_BYTES
    if not (is_inside and is_name):
        shown = name if len(name) <= _MOST_NAME_BYTES else f"{name[:40]}…"
        raise UnsafeName(f"{shown!r} is no name for a document; a right one is notes.md or hr/notes.md")


def missing_from(paths: Sequence[Path], files: Callable[[], Mapping[str, FileState]]) -> set[str]:
    """Return the ids of the documents whose files lay at or below the paths and are gone.

    Of a folder that is itself not there nothing is known: its drive may not be connected. `files` gives what each
    document was made from, and is asked only where a path can lack a file.
    """
    places = [path.resolve() for path in paths]
    folders = [place for place in places if place.is_dir()]
    absent = {place for place in places if place.parent.is_dir() and not place.exists()}
    if not folders and not absent:
        return set()

    def was_there(path: Path) -> bool:
        return path in absent or any(path.is_relative_to(folder) for folder in folders)

    return {doc_id for doc_id, file in files().items() if file.path and was_there(Path(file.path)) and file.is_gone}


logger = logging.getLogger(__name__)

_AHEAD = 8
"""Files that are read before their turn: enough for quick ones to make up for a slow one."""

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
    """Files that replaced an earlier revision."""
    failed: list[tuple[str, str]] = field(default_factory=list)
    """(source, error) of files that are not in."""
    causes: dict[str, Exception] = field(default_factory=dict)
    """What stopped files that were begun, by source."""
    warnings: list[tuple[str, str]] = field(default_factory=list)
    """(source, warning) of files that are in, with something a person should know."""
    missing: list[str] = field(default_factory=list)
    """Sources of documents of the same folders whose files are no longer there; they are still in."""
    removed: list[str] = field(default_factory=list)
    """Sources of documents that were taken out since their files are no longer there."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A file that is unchanged, or being read."""

    given: Given
    revision: str
    """The revision that ingesting the file makes."""
    document: Future[Document] | None
    """What it is read into; None when it is unchanged."""
    shape: Shape


def readings(files: Sequence[Given], metadata: Metadata, shape: Shape, catalogue: Catalogue) -> Generator[Reading]:
    """Yield the files in order; while the caller works on one, the next ones are read."""
    with Loaders() as loaders:
        begun: deque[Reading] = deque()
        for given in files:
            begun.append(_begin(given, metadata, shape, catalogue, loaders))
            if len(begun) > _AHEAD:
                yield begun.popleft()
        while begun:
            yield begun.popleft()


def _begin(given: Given, metadata: Metadata, shape: Shape, catalogue: Catalogue, loaders: Loaders) -> Reading:
    try:
        revision = _revision(given, metadata, shape)
    except OSError as error:
        failed: Future[Document] = Future()
        failed.set_exception(LoadError(f"cannot be read: {error.strerror}"))
        return Reading(given, "", failed, shape)
    before = catalogue.current(given.doc_id)
    is_unchanged = before is not None and before.revision == revision
    document = None if is_unchanged else loaders.load(given.path, given.source, metadata)
    return Reading(given, revision, document, shape)


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


def decide(reading: Reading, metadata: Metadata, catalogue: Catalogue) -> Decision:
    """Say what is to be done with a file, as soon as it is read. Raises LoadError when it cannot be."""
    given, revision = reading.given, reading.revision
    if reading.document is None:
        return Decision("unchanged", revision)
    document = replace(reading.document.result(), doc_id=given.doc_id)
    before = catalogue.current(given.doc_id)
    if before and before.visible_to and KEY not in document.metadata and not _made_public(metadata):
        raise LoadError(
            f"was visible to {', '.join(before.visible_to)} only and now says nothing of it; "
            f"say --meta {KEY}={before.visible_to[0]} again, or --meta {KEY}={PUBLIC} to show it to everybody"
        )
    path = str(given.path.resolve()) if given.lasts else None
    file = FileState(path, document.content_hash, _fingerprint(document, reading.shape))
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


@dataclass(slots=True)
class Plan:
    """What would become of each file."""

    outcomes: list[tuple[str, Outcome]] = field(default_factory=list)
    """(source, outcome) in the order of the files."""
    failed: list[tuple[str, str]] = field(default_factory=list)
    """(source, error) of files that would not be in."""

    def sources(self, outcome: Outcome) -> list[str]:
        """Return the files with that outcome."""
        return [source for source, of_file in self.outcomes if of_file == outcome]


def plan(
    files: Sequence[Given],
    metadata: Metadata,
    settings: RetrievalSettings,
    embedder: Embedder,
    progress: Callable[[int, int, str], None] | None = None,
) -> Plan:
    """Say what an ingest of the files would do; it reads them but encodes nothing, and needs no lock.

    Raises IndexMismatch where the ingest would.
    """
    catalogue = Catalogue.of(settings) if Catalogue.is_there(settings) else Catalogue("sqlite://")
    try:
        manifest = catalogue.manifest()
        check_manifest(manifest, embedder, settings)
        shape, planned = shape_of(chunk_model(manifest, embedder), settings.chunking), Plan()
        with closing(readings(files, metadata, shape, catalogue)) as begun:
            for done, reading in enumerate(begun):
                source = reading.given.source
                if progress:
                    progress(done, len(files), source)
                try:
                    planned.outcomes.append((source, decide(reading, metadata, catalogue).outcome))
                except Exception as error:  # noqa: BLE001  one bad file never stops the others
                    planned.failed.append((source, reason(error, source)))
        return planned
    finally:
        catalogue.close()
