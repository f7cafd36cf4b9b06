"""The documents in another store: with the vectors of another model, or on a server instead of in a folder.

Both go batch by batch, can be gone on with after a stop, are counted at the end, and switch in one step.
"""

import shutil
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing, nullcontext
from dataclasses import dataclass

from preprocessing.errors import FolioError
from preprocessing.merge import calibrate
from retrieval.documents.catalogue import Catalogue
from retrieval.documents.manifest import (
    Kind,
    Manifest,
    Place,
    is_made_with,
    kind_of,
    made_with,
    open_store,
    place_in_force,
)
from retrieval.documents.schema import DocumentRecord
from retrieval.embed.embedder import Embedder, Vectors, open_embedder
from retrieval.search import NoDocuments
from retrieval.settings import RetrievalSettings
from retrieval.store.store import Store
from retrieval.text.tokens import TOKENIZER_ID

Progress = Callable[[int, int, str], None]
"""Called with (chunks done, chunks in all, source of the next document)."""
Embed = Callable[[Sequence[str]], Vectors]

_BATCH = 256
"""Chunks between two words of progress."""


class MigrateError(FolioError):
    """The documents cannot be moved as things are; the message says what to do."""


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


@dataclass(frozen=True, slots=True)
class Reindexed:
    """What a reindex did."""

    transferred: Transferred
    embed_model: str
    embedded: bool
    """False when the vectors were still those of the model, and were kept."""
    left: Place | None
    """Collection that is no longer used and can be deleted, when no process that began before uses it."""


@dataclass(frozen=True, slots=True)
class Migrated:
    """What a migration did."""

    transferred: Transferred
    old: Place
    """Where the documents were; it is left as it was."""
    new: Place


def reindex(
    settings: RetrievalSettings, *, embedder: Embedder | None = None, progress: Progress | None = None
) -> Reindexed:
    """Embed all chunks with the model of the settings into a new store, and switch to it in one step at the end.

    No file is read, and chunks stay as the old model merged them. A stop before the switch leaves the old store as it
    was; started again, the work goes on where it stopped. Raises NoDocuments when there is nothing to embed.
    """
    embedder = embedder or open_embedder(settings)
    with ExitStack() as opened:
        catalogue = opened.enter_context(closing(Catalogue.of(settings)))
        if catalogue.is_empty():
            raise NoDocuments("there are no documents to index again; run: folio ingest PATH")
        old = place_in_force(catalogue, settings, kind_of(settings))
        opened.enter_context(catalogue.writing() if old.kind == "server" else nullcontext())
        # The store in a folder is locked while it is open, so no process uses it meanwhile.
        source = opened.enter_context(closing(open_store(settings, old, catalogue.manifest()["dimension"])))
        manifest, records = catalogue.manifest(), catalogue.documents()
        made = made_with(embedder)
        keep = is_made_with(manifest, embedder) and made["dimension"] == manifest["dimension"]
        new = Place.marked(old.kind, settings, made).beside(old)
        target = opened.enter_context(closing(open_store(settings, new, embedder.dimension)))
        embed = None if keep else embedder.embed_passages
        transferred = transfer(records, source, target, embed=embed, progress=progress)
        catalogue.write_manifest(
            **made,
            **new.as_manifest(),
            unrelated_similarity=calibrate(embedder.embed_passages),
            chunk_model=manifest.get("chunk_model", manifest["embed_model"]),
        )
    if new.kind == "folder":
        _remove_others(settings, new)
    return Reindexed(transferred, embedder.model_id, not keep, old if old.kind == "server" else None)


def migrate(settings: RetrievalSettings, *, back: bool = False, progress: Progress | None = None) -> Migrated:
    """Copy chunks, vectors and document revisions from the folder to the server of the settings, or back.

    The list of documents goes to FOLIO_DATABASE_URL where it is set. The source is left as it is. Only when the
    counts of every document agree are the documents taken to be in the new place, in one step; a stop before that
    changes nothing, and the same command goes on where it was stopped. Raises MigrateError.
    """
    if not settings.qdrant_url:
        raise MigrateError("FOLIO_QDRANT_URL is not set; a right one is http://localhost:6333")
    settings.home.mkdir(parents=True, exist_ok=True)
    with ExitStack() as opened:
        here = opened.enter_context(closing(Catalogue.in_folder(settings.home)))
        there = opened.enter_context(closing(Catalogue.of(settings))) if settings.database_url else here
        giving, taking = (there, here) if back else (here, there)
        # Nobody writes meanwhile: neither to the server, nor to the folder, whose store is locked while it is open.
        opened.enter_context(there.writing())
        manifest = giving.manifest()
        old = _place_of(manifest, "server" if back else "folder", settings)
        source = opened.enter_context(closing(open_store(settings, old, manifest["dimension"])))
        manifest, records = giving.manifest(), giving.documents()
        _check_nothing_is_lost(records, taking.documents())
        made = {**manifest, "tokenizer": TOKENIZER_ID}
        new = Place.marked("folder" if back else "server", settings, made)
        target = opened.enter_context(closing(open_store(settings, new, manifest["dimension"])))
        transferred = transfer(records, source, target, progress=progress)
        made |= new.as_manifest()
        if taking is giving:
            taking.write_manifest(**made)
        else:
            taking.take_over(giving.rows(), made)
    return Migrated(transferred, old, new)


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
            chunks, vectors = source.read_revision(record.revision)
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
        _remove_leftovers(target, {record.revision for record in own})
    if (count := target.count()) != total:
        raise TransferError(f"the new store holds {count} chunks instead of {total}: start the same command again")
    return Transferred(len(records), total, written)


def _check(count: int, record: DocumentRecord, where: str) -> None:
    if count != record.chunks:
        raise TransferError(
            f"{record.source}: {where} holds {count} of its {record.chunks} chunks; "
            f"run folio documents delete {record.doc_id}, ingest the file again, and start the same command again"
        )


def _remove_leftovers(target: Store, wanted: set[str]) -> None:
    """Remove what an earlier run brought of documents that have changed since."""
    others = {chunk.revision for chunk in target.scan()} - wanted
    for revision in others:
        target.delete_revision(revision)


def _remove_others(settings: RetrievalSettings, place: Place) -> None:
    """Remove the folders of the old store and of what another model began."""
    first = Place.first("folder", settings).name
    for folder in settings.home.glob(f"{first}*"):
        if folder.is_dir() and folder.name != place.name and (folder / "store.lock").is_file():
            shutil.rmtree(folder)


def _place_of(manifest: Manifest, kind: Kind, settings: RetrievalSettings) -> Place:
    place = Place.recorded(manifest)
    if place is None:
        raise MigrateError(f"there are no documents in {settings.home}; run: folio ingest PATH")
    if place.kind != kind:
        raise MigrateError(f"the documents are in {place.named(settings)} already")
    return place


def _check_nothing_is_lost(giving: Sequence[DocumentRecord], taking: Sequence[DocumentRecord]) -> None:
    known = {record.doc_id for record in giving}
    if lost := [record.source for record in taking if record.doc_id not in known]:
        raise MigrateError(
            f"the list of documents to be written holds others ({lost[0]} and {len(lost) - 1} more), which would be "
            "lost: name another FOLIO_DATABASE_URL, or delete those documents there first"
        )
