"""The catalogue: which documents there are, and which revision of each is current."""

import json
from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import AbstractContextManager
from dataclasses import fields, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from preprocessing.document import Document
from preprocessing.errors import FolioError
from preprocessing.load.metadata import first_text
from retrieval.documents import copies
from retrieval.documents.database import open_database, said_of_database, said_of_file
from retrieval.documents.lease import Lease
from retrieval.documents.schema import DocumentRecord, FileState, leases
from retrieval.documents.schema import documents as _documents
from retrieval.documents.schema import failures as _failures
from retrieval.documents.schema import manifest as _manifest
from retrieval.documents.schema import tables as _tables
from retrieval.documents.versions import Versions
from retrieval.settings import RetrievalSettings

_FILE = "catalogue.db"

Rows = Mapping[str, list[dict[str, Any]]]
"""Rows by the name of their table."""


class UnknownDocument(FolioError):
    """No current document has that id or source."""


class Catalogue:
    """Documents and their revisions in a database.

    A new revision is written as `pending`, becomes `current` in one transaction, and only then is the old one, now
    `replaced`, removed from the legs. Whatever is not current is hidden from every search, so a crash at any point
    leaves one whole revision to be found.
    """

    def __init__(self, url: str) -> None:
        self._engine = open_database(url, _tables)
        self._lease = Lease(self._engine)

    @classmethod
    def in_folder(cls, folder: Path) -> "Catalogue":
        """Open the catalogue kept as an SQLite file in the folder. Raises FolioError for one that is damaged."""
        with said_of_file(folder / _FILE):
            return cls(f"sqlite:///{folder / _FILE}")

    @classmethod
    def of(cls, settings: RetrievalSettings) -> "Catalogue":
        """Open the catalogue of FOLIO_DATABASE_URL, or the one in FOLIO_HOME. Raises FolioError for a wrong address."""
        if settings.database_url is None:
            return cls.in_folder(settings.home)
        url = settings.database_url.get_secret_value()
        with said_of_database(url):
            return cls(url)

    @staticmethod
    def is_there(settings: RetrievalSettings) -> bool:
        """Say whether there may be a catalogue; a database is known only when it is opened."""
        return settings.database_url is not None or (settings.home / _FILE).is_file()

    def writing(self) -> AbstractContextManager[None]:
        """Be the only process that changes documents, among those that share the catalogue. Raises WriterBusy."""
        return self._lease.writing()

    def rows(self) -> Rows:
        """Return all that is known of the current documents, by table."""
        queries = {table.name: sa.select(table) for table in _tables.sorted_tables if table not in (_manifest, leases)}
        queries[_documents.name] = queries[_documents.name].where(_documents.c.state == "current")
        with self._engine.connect() as connection:
            return {name: [dict(row) for row in connection.execute(q).mappings()] for name, q in queries.items()}

    def take_over(self, rows: Rows, manifest: Mapping[str, Any]) -> None:
        """Hold the rows and the manifest of another catalogue in place of all that is here, in one transaction."""
        with self._engine.begin() as connection:
            connection.execute(sa.delete(_manifest))
            _set_manifest(connection, dict(manifest))
            for name, of_table in rows.items():
                table = _tables.tables[name]
                connection.execute(sa.delete(table))
                if of_table:
                    connection.execute(sa.insert(table), of_table)

    def close(self) -> None:
        """Release the connections."""
        self._engine.dispose()

    def manifest(self) -> dict[str, Any]:
        """Return what the index was made with: embedding model, dimension, tokenizer, generation."""
        with self._engine.connect() as connection:
            return {row.key: json.loads(row.value) for row in connection.execute(sa.select(_manifest))}

    def write_manifest(self, **values: Any) -> None:
        """Set entries of the manifest."""
        try:
            with self._engine.begin() as connection:
                _set_manifest(connection, values)
        except sa.exc.IntegrityError:
            # Another process, started at the same time, set them first.
            with self._engine.begin() as connection:
                _set_manifest(connection, values)

    @property
    def generation(self) -> int:
        """Number of changes so far; a cache that carries another number is out of date."""
        return int(self.manifest().get("generation", 0))

    def current(self, doc_id: str) -> DocumentRecord | None:
        """Return the current revision of the document, None when it is not there."""
        with self._engine.connect() as connection:
            return _current(connection, doc_id)

    def copies_of(self, doc_id: str) -> list[DocumentRecord]:
        """Return the documents that share the chunks of this one, by source."""
        with self._engine.connect() as connection:
            original = _current(connection, doc_id)
            rows = copies.copies_of(connection, doc_id)
        return [_copy_record(row, original) for row in rows] if original else []

    def copies_by_source(self, sources: Iterable[str]) -> dict[str, list[str]]:
        """Return the sources of the copies of documents, by the source of the original."""
        with self._engine.connect() as connection:
            return copies.copies_by_source(connection, sources)

    def files_of_content(self, content_hash: str) -> dict[str, FileState]:
        """Return what the documents made from these bytes were made from, by id."""
        with self._engine.connect() as connection:
            return copies.files_of_content(connection, content_hash)

    def files(self) -> dict[str, FileState]:
        """Return what each document was made from, by id."""
        with self._engine.connect() as connection:
            return copies.all_files(connection)

    def begin(self, document: Document, revision: str) -> None:
        """Note that a revision is being written; it stays hidden until `commit`."""
        said = {name: first_text(document.metadata.get(name)) for name in ("effective_from", "effective_to")}
        lists = {name: _as_list(document.metadata.get(name)) for name in ("visible_to", "supersedes")}
        self._begin(document, revision=revision, **said, **lists)

    def begin_hand_over(self, heir: DocumentRecord) -> None:
        """Note that chunks of its own are being written for a copy; they stay hidden until `hand_over`."""
        own = ("revision", "effective_from", "effective_to", "visible_to", "supersedes")
        self._begin(heir, **{name: getattr(heir, name) for name in own})

    def _begin(self, document: Document | DocumentRecord, **values: Any) -> None:
        same = ("doc_id", "source", "title", "doc_type", "version", "updated_at")
        values |= {name: getattr(document, name) for name in same}
        with self._engine.begin() as connection:
            connection.execute(sa.insert(_documents).values(**values, state="pending", chunks=0, ingested_at=_now()))

    def hand_over(self, original: DocumentRecord, heir: DocumentRecord) -> None:
        """Make the copy the one that has the chunks, and the original its copy, in one transaction."""
        with self._engine.begin() as connection:
            _replace(connection, original.doc_id)
            _make_current(connection, heir.doc_id, heir.revision, original.chunks)
            copies.give_copies(connection, original.doc_id, heir.doc_id)
            copies.add_copy(connection, heir.doc_id, _copy_values(original))
            _next_generation(connection)

    def share(
        self, document: Document, revision: str, original: str, file: FileState, instead_of: str | None = None
    ) -> None:
        """Let the document share the chunks of the original, in place of its own revision and of a renamed document."""
        copy = {"revision": revision, **{name: getattr(document, name) for name in ("doc_id", "source", "updated_at")}}
        with self._engine.begin() as connection:
            for doc_id in filter(None, (document.doc_id, instead_of)):
                _end(connection, doc_id)
            copies.add_copy(connection, original, copy)
            copies.remember_file(connection, document.doc_id, file)
            _next_generation(connection)

    def commit(
        self, doc_id: str, revision: str, chunks: int, file: FileState | None = None, instead_of: str | None = None
    ) -> None:
        """Make the revision current and the one before it replaced, in one transaction.

        With `instead_of`, the document that was renamed to this one ends in the same transaction.
        """
        with self._engine.begin() as connection:
            for ended in filter(None, (doc_id, instead_of)):
                _end(connection, ended)
            _make_current(connection, doc_id, revision, chunks)
            copies.remember_file(connection, doc_id, file)
            _next_generation(connection)

    def retire(self, doc_id: str) -> None:
        """Hide the current revision of a document that is to be deleted, or end its sharing of another's."""
        with self._engine.begin() as connection:
            _end(connection, doc_id)
            _next_generation(connection)

    def forget(self, revision: str) -> None:
        """Remove the record of a revision whose chunks are gone from the legs."""
        with self._engine.begin() as connection:
            connection.execute(sa.delete(_documents).where(_documents.c.revision == revision))

    def leftovers(self) -> list[str]:
        """Return the revisions that are not current: being written, or replaced and not yet removed."""
        query = sa.select(_documents.c.revision).where(_documents.c.state != "current")
        with self._engine.connect() as connection:
            return list(connection.execute(query).scalars())

    def is_empty(self) -> bool:
        """Say whether no document is current."""
        query = sa.select(_documents.c.doc_id).where(_documents.c.state == "current").limit(1)
        with self._engine.connect() as connection:
            return connection.execute(query).first() is None

    def documents(self) -> list[DocumentRecord]:
        """Return the current documents by source, with what supersedes each."""
        query = sa.select(_documents).where(_documents.c.state == "current")
        with self._engine.connect() as connection:
            rows, copy_rows = connection.execute(query).all(), copies.all_copies(connection)
        originals = {row.doc_id: _record(row) for row in rows}
        shared = [_copy_record(row, originals[row.original]) for row in copy_rows]
        # Each database has its own order of letters.
        records = sorted([*originals.values(), *shared], key=lambda record: record.source)
        versions, today = Versions(records), date.today()
        return [replace(record, superseded_by=versions.superseded_by(record, today)) for record in records]

    def hidden_revisions(self, as_of: date | None = None, *, superseded_too: bool = False) -> frozenset[str]:
        """Return every revision that a search must not see: not current, or not in force, as `Versions` has it.

        With `superseded_too`, only those that are not current. Where one of several copies is superseded, so is what
        it says.
        """
        dated = sa.or_(
            sa.cast(_documents.c.supersedes, sa.Text) != "[]",
            *([_documents.c.effective_from.is_not(None), _documents.c.effective_to.is_not(None)] if as_of else []),
        )
        versioned = sa.select(sa.func.count()).where(_documents.c.state == "current", dated)
        with self._engine.connect() as connection:
            any_versions = not superseded_too and connection.execute(versioned).scalar_one()
        out = Versions(self.documents()).not_in_force(as_of) if any_versions else ()
        return frozenset([*self.leftovers(), *out])

    def doubts(self, doc_ids: Set[str]) -> list[tuple[str, str]]:
        """Return (source, warning) of what these documents say of their versions and that has no effect."""
        return list(Versions(self.documents()).doubts(doc_ids)) if doc_ids else []

    def failure_of(self, source: str) -> str | None:
        """Return why the file was not brought in when it was last tried; None when it was, or never tried."""
        query = sa.select(_failures.c.error).where(_failures.c.source == source)
        with self._engine.connect() as connection:
            return connection.execute(query).scalar_one_or_none()

    def note_outcome(self, taken: Iterable[str], failed: Mapping[str, str]) -> None:
        """Remember why files are not in, by source, and forget it of those that now are."""
        with self._engine.begin() as connection:
            for source in {*taken, *failed}:
                connection.execute(sa.delete(_failures).where(_failures.c.source == source))
            rows = [{"source": source, "error": error, "failed_at": _now()} for source, error in failed.items()]
            if rows:
                connection.execute(sa.insert(_failures), rows)

    def count_chunks(self, doc_ids: Set[str]) -> int:
        """Return how many chunks the documents have, those that are shared once."""
        records = {record.doc_id: record for record in self.documents()}
        holders = {records[doc_id].same_as or doc_id for doc_id in records.keys() & doc_ids}
        return sum(records[doc_id].chunks for doc_id in holders)

    def find(self, doc_id_or_source: str) -> DocumentRecord:
        """Return the current document with that id or source; raise UnknownDocument when there is none."""
        for record in self.documents():
            if doc_id_or_source in (record.doc_id, record.source):
                return record
        raise UnknownDocument(f"no document {doc_id_or_source!r}; `folio documents list` shows the ids")


def _set_manifest(connection: sa.Connection, values: dict[str, Any]) -> None:
    connection.execute(sa.delete(_manifest).where(_manifest.c.key.in_(list(values))))
    rows = [{"key": key, "value": json.dumps(value)} for key, value in values.items()]
    connection.execute(sa.insert(_manifest), rows)


def _next_generation(connection: sa.Connection) -> None:
    query = sa.select(_manifest.c.value).where(_manifest.c.key == "generation")
    _set_manifest(connection, {"generation": int(connection.execute(query).scalar_one_or_none() or 0) + 1})


def _current(connection: sa.Connection, doc_id: str) -> DocumentRecord | None:
    query = sa.select(_documents).where(_documents.c.doc_id == doc_id, _documents.c.state == "current")
    if row := connection.execute(query).one_or_none():
        return _record(row)
    copy = copies.copy_row(connection, doc_id)
    original = _current(connection, copy.original) if copy else None
    return _copy_record(copy, original) if original else None


def _make_current(connection: sa.Connection, doc_id: str, revision: str, chunks: int) -> None:
    connection.execute(
        sa.update(_documents)
        .where(_documents.c.doc_id == doc_id, _documents.c.revision == revision)
        .values(state="current", chunks=chunks)
    )


def _replace(connection: sa.Connection, doc_id: str) -> None:
    connection.execute(
        sa.update(_documents)
        .where(_documents.c.doc_id == doc_id, _documents.c.state == "current")
        .values(state="replaced")
    )


def _end(connection: sa.Connection, doc_id: str) -> None:
    _replace(connection, doc_id)
    copies.remove_copy(connection, doc_id)
    copies.remember_file(connection, doc_id, None)


def _copy_values(record: Any) -> dict[str, Any]:
    return {name: getattr(record, name) for name in ("doc_id", "revision", "source", "updated_at")}


def _copy_record(row: Any, original: DocumentRecord) -> DocumentRecord:
    return replace(original, **_copy_values(row), same_as=original.doc_id)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _record(row: Any) -> DocumentRecord:
    known = {field.name: getattr(row, field.name) for field in fields(DocumentRecord) if hasattr(row, field.name)}
    return DocumentRecord(**known | {name: tuple(known[name]) for name in ("visible_to", "supersedes")})


def _as_list(value: str | Sequence[str] | None) -> list[str]:
    if value is None:
        return []
    return [value] if isinstance(value, str) else list(value)
