"""`folio migrate`: the documents of a folder on a Qdrant server or cluster, or back."""

from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass

from preprocessing.errors import FolioError
from retrieval.catalogue import Catalogue, DocumentRecord
from retrieval.manifest import Manifest
from retrieval.place import Kind, Place, open_store
from retrieval.settings import RetrievalSettings
from retrieval.tokens import TOKENIZER_ID
from retrieval.transfer import Progress, Transferred, new_store, transfer


class MigrateError(FolioError):
    """The documents cannot be moved as things are; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Migrated:
    """What a migration did."""

    transferred: Transferred
    old: Place
    """Where the documents were; it is left as it was."""
    new: Place


def migrate(settings: RetrievalSettings, *, back: bool = False, progress: Progress | None = None) -> Migrated:
    """Copy chunks, vectors and document states from the folder to the server of the settings, or back.

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
        target = opened.enter_context(closing(new_store(settings, new, manifest["dimension"], records, source)))
        transferred = transfer(records, source, target, progress=progress)
        made |= new.as_manifest()
        if taking is giving:
            taking.write_manifest(**made)
        else:
            taking.take_over(giving.rows(), made)
    return Migrated(transferred, old, new)


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
