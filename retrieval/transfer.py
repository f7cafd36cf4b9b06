"""Every document state of one store in another: batch by batch, gone on with after a stop, and counted at the end."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from preprocessing.errors import FolioError
from retrieval.catalogue import DocumentRecord
from retrieval.embed.base import Vectors
from retrieval.place import Place, open_server, open_store
from retrieval.settings import RetrievalSettings
from retrieval.store.base import Store
from retrieval.tokens import tokenize

Progress = Callable[[int, int, str], None]
"""Called with (chunks done, chunks in all, source of the next document)."""
Embed = Callable[[Sequence[str]], Vectors]

_BATCH = 256
"""Chunks between two words of progress."""


class TransferError(FolioError):
    """The stores do not agree on what there is."""


@dataclass(frozen=True, slots=True)
class Transferred:
    """What was brought over."""

    documents: int
    chunks: int
    """All that the target holds now."""
    written: int
    """Chunks that were written this time, the others were there from a run that was stopped."""


def transfer(
    records: Sequence[DocumentRecord],
    source: Store,
    target: Store,
    *,
    embed: Embed | None = None,
    progress: Progress | None = None,
) -> Transferred:
    """Bring the chunks of the documents over; the source is only read.

    The vectors are those of the source, or new ones of the text that is searched. Whatever else the target holds is
    removed. Raises TransferError when the source lacks chunks, or the target does in the end.
    """
    own = [record for record in records if not record.same_as]
    total, done, written = sum(record.chunks for record in own), 0, 0
    for record in own:
        if target.count(record.revision) != record.chunks:
            chunks, vectors = source.read_state(record.revision)
            _check(len(chunks), record, "the store that is read")
            for start in range(0, len(chunks), _BATCH):
                if progress:
                    progress(done + start, total, record.source)
                batch = chunks[start : start + _BATCH]
                made = embed([chunk.search_text for chunk in batch]) if embed else vectors[start : start + _BATCH]
                target.upsert(batch, made)
            written += len(chunks)
            _check(target.count(record.revision), record, "the new store")
        done += record.chunks
    if target.count() != total:
        _remove_others(target, {record.revision for record in own})
    if (count := target.count()) != total:
        raise TransferError(f"the new store holds {count} chunks instead of {total}: start the same command again")
    return Transferred(len(records), total, written)


def new_store(
    settings: RetrievalSettings, place: Place, dimension: int, records: Sequence[DocumentRecord], source: Store
) -> Store:
    """Open a store for the chunks of another one; a collection is made with their average length."""
    if place.kind == "server":
        return open_server(settings, place, dimension, average_length(records, source))
    return open_store(settings, place, dimension)


def average_length(records: Iterable[DocumentRecord], source: Store) -> float | None:
    """Return the mean number of tokens of the chunks, None when there are none."""
    lengths = [
        len(tokenize(chunk.search_text))
        for record in records
        if not record.same_as
        for chunk in source.read_state(record.revision)[0]
    ]
    return float(np.mean(lengths)) if lengths else None


def _check(count: int, record: DocumentRecord, where: str) -> None:
    if count != record.chunks:
        raise TransferError(
            f"{record.source}: {where} holds {count} of its {record.chunks} chunks; "
            f"run folio documents delete {record.doc_id}, ingest the file again, and start the same command again"
        )


def _remove_others(target: Store, wanted: set[str]) -> None:
    """Remove what an earlier run brought of documents that have changed since."""
    others = {chunk.revision for chunk in target.scan()} - wanted
    for revision in others:
        target.delete_revision(revision)
