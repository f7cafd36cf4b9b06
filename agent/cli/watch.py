"""`folio ingest --watch`: files are brought in again when they change, until Ctrl-C."""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from watchfiles import watch as watch_files

from agent.settings import Settings
from agent.view.ingest import progress_bar
from preprocessing.discover import IGNORE_FILE, discover
from preprocessing.load import OPENED
from retrieval.embed import open_embedder
from retrieval.ingest import IngestReport, Metadata
from retrieval.knowledge_base import KnowledgeBase
from retrieval.store.store import StoreLocked

logger = logging.getLogger(__name__)

QUIET_MS = 1000
"""A burst of changes is over when nothing has changed for this long."""
BURST_MS = 10_000
RETRY_MS = 3000
"""After this long, files that had to wait for another process are tried again."""


def follow(paths: Sequence[Path], metadata: Metadata, settings: Settings, tell: Callable[[IngestReport], None]) -> None:
    """Bring everything in, then what changes; between two ingests other processes may open the knowledge base.

    A file that is deleted from a watched folder is taken out; one that was missing before the watch stays in.
    """
    embedder = open_embedder(settings)
    waiting, deleted, is_first = list(paths), set[Path](), True
    with suppress(KeyboardInterrupt):
        for changed in changes(paths, settings.home):
            waiting += [file for file in touched(paths, changed) if file not in waiting]
            deleted |= {path for path in changed if not path.exists()}
            if not waiting and not deleted:
                continue
            try:
                with KnowledgeBase.open(settings, embedder=embedder) as knowledge_base, progress_bar() as progress:
                    report = knowledge_base.ingest(waiting, metadata, progress)
                    # After the ingest, so that a renamed file is recognised and none that was deleted.
                    report.removed = _take_out(deleted, paths, knowledge_base)
            except StoreLocked as error:
                logger.warning("%s; trying again in %d seconds", error, RETRY_MS // 1000)
                continue
            waiting, deleted = [], set()
            if is_first or report.failed or report.removed or report.unchanged < report.documents:
                tell(report)
            is_first = False


def _take_out(deleted: set[Path], paths: Sequence[Path], knowledge_base: KnowledgeBase) -> list[str]:
    """Delete the documents of the watched paths whose files were, or lay in, what was deleted; return their sources."""
    if not deleted:
        return []
    places = {record.doc_id: Path(record.source).resolve() for record in knowledge_base.missing(paths)}
    gone = [doc_id for doc_id, place in places.items() if deleted & {place, *place.parents}]
    return [knowledge_base.delete(doc_id).source for doc_id in gone]


def changes(paths: Sequence[Path], home: Path) -> Iterator[set[Path]]:
    """Yield nothing once at the start, then the whole paths of each burst of changes, or nothing after a while.

    With the first of them come the roots: what changed before the watch stood must not be missed.
    """
    yield set()
    roots = {root_of(path) for path in paths}
    inside = home.resolve()
    bursts = watch_files(
        *roots,
        watch_filter=lambda _change, path: could_matter(Path(path), roots, inside),
        step=QUIET_MS,
        debounce=BURST_MS,
        rust_timeout=RETRY_MS,
        yield_on_timeout=True,
        raise_interrupt=True,
    )
    missed = roots
    for burst in bursts:
        yield {*missed, *(Path(path) for _, path in burst)}
        missed = set()


def root_of(path: Path) -> Path:
    """Return the folder to watch: editors replace a file by another, so it is never the file itself."""
    return next(folder for folder in (path.resolve(), *path.resolve().parents) if folder.is_dir())


def could_matter(path: Path, roots: Iterable[Path], home: Path) -> bool:
    """Say whether a change there can be one of a document: not of hidden files, other types, or the index itself."""
    root = next((root for root in roots if path.is_relative_to(root)), None)
    if root is None or path.is_relative_to(home):
        return False
    if path.name == IGNORE_FILE:
        return True
    # A folder that is moved in comes as one change, of a path without a type.
    hidden = any(part.startswith(".") for part in path.relative_to(root).parts)
    return not hidden and path.suffix.lower() in {*OPENED, ""}


def touched(paths: Sequence[Path], changed: set[Path]) -> list[Path]:
    """Return the files meant by the paths that are, or lie in, what changed."""
    if not changed:
        return []
    places = {path.parent if path.name == IGNORE_FILE else path for path in changed}
    files, _ = discover(paths)
    return [file for file in files if places & {file.resolve(), *file.resolve().parents}]
