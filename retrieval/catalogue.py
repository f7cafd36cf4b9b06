"""The catalogue: which documents there are, and which state of each is current."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from preprocessing.document import Document
from preprocessing.errors import FolioError

_tables = sa.MetaData()

_documents = sa.Table(
    "documents",
    _tables,
    sa.Column("doc_id", sa.String(64), primary_key=True),
    sa.Column("revision", sa.String(64), primary_key=True),
    sa.Column("state", sa.String(16), nullable=False),  # pending, current, or replaced
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("doc_type", sa.String(16), nullable=False),
    sa.Column("version", sa.Text),
    sa.Column("updated_at", sa.Text),
    sa.Column("visible_to", sa.JSON, nullable=False),
    sa.Column("supersedes", sa.JSON, nullable=False),
    sa.Column("chunks", sa.Integer, nullable=False),
    sa.Column("ingested_at", sa.Text, nullable=False),
)

_manifest = sa.Table(
    "manifest",
    _tables,
    sa.Column("key", sa.String(64), primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)


class UnknownDocument(FolioError):
    """No current document has that id or source."""


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """A document of the knowledge base, as lists show it."""

    doc_id: str
    revision: str
    source: str
    title: str
    doc_type: str
    version: str | None
    updated_at: str | None
    chunks: int
    visible_to: tuple[str, ...] = ()
    superseded_by: str | None = None
    """Source of the document that took this one's place."""
    supersedes: tuple[str, ...] = ()


class Catalogue:
    """Documents and their states in a database.

    A new state is written as `pending`, becomes `current` in one transaction, and only then is the old one, now
    `replaced`, removed from the legs. Whatever is not current is hidden from every search, so a crash at any point
    leaves one whole state to be found.
    """

    def __init__(self, url: str) -> None:
        self._engine = sa.create_engine(url)
        if self._engine.dialect.name == "sqlite":
            sa.event.listen(self._engine, "connect", _write_ahead)
        _tables.create_all(self._engine)

    @classmethod
    def in_folder(cls, folder: Path) -> "Catalogue":
        """Open the catalogue kept as an SQLite file in the folder."""
        return cls(f"sqlite:///{folder / 'catalogue.db'}")

    def close(self) -> None:
        """Release the connections."""
        self._engine.dispose()

    def manifest(self) -> dict[str, Any]:
        """Return what the index was made with: embedding model, dimension, tokenizer, generation."""
        with self._engine.connect() as connection:
            return {row.key: json.loads(row.value) for row in connection.execute(sa.select(_manifest))}

    def write_manifest(self, **values: Any) -> None:
        """Set entries of the manifest."""
        with self._engine.begin() as connection:
            _set_manifest(connection, values)

    @property
    def generation(self) -> int:
        """Number of changes so far; a cache that carries another number is out of date."""
        return int(self.manifest().get("generation", 0))

    def current(self, doc_id: str) -> DocumentRecord | None:
        """Return the current state of the document, None when it is not there."""
        query = sa.select(_documents).where(_documents.c.doc_id == doc_id, _documents.c.state == "current")
        with self._engine.connect() as connection:
            row = connection.execute(query).one_or_none()
        return _record(row) if row else None

    def begin(self, document: Document, revision: str) -> None:
        """Note that a state is being written; it stays hidden until `commit`."""
        with self._engine.begin() as connection:
            connection.execute(
                sa.insert(_documents).values(
                    doc_id=document.doc_id,
                    revision=revision,
                    state="pending",
                    source=document.source,
                    title=document.title,
                    doc_type=document.doc_type,
                    version=document.version,
                    updated_at=document.updated_at,
                    visible_to=_as_list(document.metadata.get("visible_to")),
                    supersedes=_as_list(document.metadata.get("supersedes")),
                    chunks=0,
                    ingested_at=datetime.now(UTC).isoformat(timespec="seconds"),
                )
            )

    def commit(self, doc_id: str, revision: str, chunks: int) -> None:
        """Make the state current and the one before it replaced, in one transaction."""
        of_document = _documents.c.doc_id == doc_id
        with self._engine.begin() as connection:
            connection.execute(
                sa.update(_documents).where(of_document, _documents.c.state == "current").values(state="replaced")
            )
            connection.execute(
                sa.update(_documents)
                .where(of_document, _documents.c.revision == revision)
                .values(state="current", chunks=chunks)
            )
            _next_generation(connection)

    def retire(self, doc_id: str) -> None:
        """Hide the current state of a document that is to be deleted."""
        with self._engine.begin() as connection:
            connection.execute(
                sa.update(_documents)
                .where(_documents.c.doc_id == doc_id, _documents.c.state == "current")
                .values(state="replaced")
            )
            _next_generation(connection)

    def forget(self, revision: str) -> None:
        """Remove the record of a state whose chunks are gone from the legs."""
        with self._engine.begin() as connection:
            connection.execute(sa.delete(_documents).where(_documents.c.revision == revision))

    def leftovers(self) -> list[str]:
        """Return the states that are not current: being written, or replaced and not yet removed."""
        query = sa.select(_documents.c.revision).where(_documents.c.state != "current")
        with self._engine.connect() as connection:
            return list(connection.execute(query).scalars())

    def documents(self) -> list[DocumentRecord]:
        """Return the current documents by source, with what supersedes each."""
        query = sa.select(_documents).where(_documents.c.state == "current").order_by(_documents.c.source)
        with self._engine.connect() as connection:
            rows = connection.execute(query).all()
        records = [_record(row) for row in rows]
        superseded_by = {name: record.source for record in records for name in record.supersedes}
        return [_marked(record, superseded_by) for record in records]

    def hidden_revisions(self) -> frozenset[str]:
        """Return every state that a search must not see: not current, or superseded by another document."""
        superseding = sa.select(sa.func.count()).where(
            _documents.c.state == "current", sa.cast(_documents.c.supersedes, sa.Text) != "[]"
        )
        with self._engine.connect() as connection:
            any_superseding = connection.execute(superseding).scalar_one()
        superseded = [record.revision for record in self.documents() if record.superseded_by] if any_superseding else []
        return frozenset([*self.leftovers(), *superseded])

    def find(self, doc_id_or_source: str) -> DocumentRecord:
        """Return the current document with that id or source; raise UnknownDocument when there is none."""
        for record in self.documents():
            if doc_id_or_source in (record.doc_id, record.source):
                return record
        raise UnknownDocument(f"no document {doc_id_or_source!r}; `folio documents list` shows the ids")


def _write_ahead(connection: Any, _record: object) -> None:
    # Readers go on while one process writes, and a committed change survives a crash.
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA busy_timeout=10000")


def _set_manifest(connection: sa.Connection, values: dict[str, Any]) -> None:
    connection.execute(sa.delete(_manifest).where(_manifest.c.key.in_(list(values))))
    rows = [{"key": key, "value": json.dumps(value)} for key, value in values.items()]
    connection.execute(sa.insert(_manifest), rows)


def _next_generation(connection: sa.Connection) -> None:
    query = sa.select(_manifest.c.value).where(_manifest.c.key == "generation")
    _set_manifest(connection, {"generation": int(connection.execute(query).scalar_one_or_none() or 0) + 1})


def _record(row: Any) -> DocumentRecord:
    return DocumentRecord(
        doc_id=row.doc_id,
        revision=row.revision,
        source=row.source,
        title=row.title,
        doc_type=row.doc_type,
        version=row.version,
        updated_at=row.updated_at,
        chunks=row.chunks,
        visible_to=tuple(row.visible_to),
        supersedes=tuple(row.supersedes),
    )


def _as_list(value: str | Sequence[str] | None) -> list[str]:
    if value is None:
        return []
    return [value] if isinstance(value, str) else list(value)


def _marked(record: DocumentRecord, superseded_by: dict[str, str]) -> DocumentRecord:
    for name in (record.source, Path(record.source).name, record.title, record.doc_id):
        if superseded_by.get(name, record.source) != record.source:
            return replace(record, superseded_by=superseded_by[name])
    return record
