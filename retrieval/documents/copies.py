"""Files of the same content: the chunks of one, the original, stand for all. Each function is part of a transaction."""

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa

from retrieval.documents.schema import FileState, copies, documents, files


def remember_file(connection: sa.Connection, doc_id: str, file: FileState | None) -> None:
    """Note what the document was made from."""
    connection.execute(sa.delete(files).where(files.c.doc_id == doc_id))
    if file:
        connection.execute(
            sa.insert(files).values(
                doc_id=doc_id, path=file.path, content_hash=file.content_hash, fingerprint=file.fingerprint
            )
        )


def files_of_content(connection: sa.Connection, content_hash: str) -> dict[str, FileState]:
    """Return the documents made from these bytes, by id."""
    rows = connection.execute(sa.select(files).where(files.c.content_hash == content_hash).order_by(files.c.doc_id))
    return {row.doc_id: FileState(row.path, row.content_hash, row.fingerprint) for row in rows}


def all_files(connection: sa.Connection) -> dict[str, FileState]:
    """Return what each document was made from, by id."""
    rows = connection.execute(sa.select(files))
    return {row.doc_id: FileState(row.path, row.content_hash, row.fingerprint) for row in rows}


def add_copy(connection: sa.Connection, original: str, copy: dict[str, Any]) -> None:
    """Let a document share the chunks of another; `copy` is its doc_id, revision, source and updated_at."""
    remove_copy(connection, copy["doc_id"])
    connection.execute(sa.insert(copies).values(original=original, **copy))


def remove_copy(connection: sa.Connection, doc_id: str) -> None:
    """End the sharing; nothing happens when the document has chunks of its own."""
    connection.execute(sa.delete(copies).where(copies.c.doc_id == doc_id))


def give_copies(connection: sa.Connection, original: str, heir: str) -> None:
    """Make one of the copies the original of the others."""
    remove_copy(connection, heir)
    connection.execute(sa.update(copies).where(copies.c.original == original).values(original=heir))


def all_copies(connection: sa.Connection) -> list[Any]:
    """Return the rows of all copies by source."""
    return list(connection.execute(sa.select(copies).order_by(copies.c.source)))


def copies_of(connection: sa.Connection, original: str) -> list[Any]:
    """Return the rows of the copies of a document by source."""
    query = sa.select(copies).where(copies.c.original == original).order_by(copies.c.source)
    return list(connection.execute(query))


def copies_by_source(connection: sa.Connection, sources: Iterable[str]) -> dict[str, list[str]]:
    """Return the sources of the copies of documents, by the source of the original."""
    query = (
        sa.select(documents.c.source.label("original"), copies.c.source)
        .join(copies, copies.c.original == documents.c.doc_id)
        .where(documents.c.state == "current", documents.c.source.in_(list(sources)))
        .order_by(copies.c.source)
    )
    found: dict[str, list[str]] = {}
    for row in connection.execute(query):
        found.setdefault(row.original, []).append(row.source)
    return found


def copy_row(connection: sa.Connection, doc_id: str) -> Any | None:
    """Return the row of a copy, None when the document is none."""
    return connection.execute(sa.select(copies).where(copies.c.doc_id == doc_id)).one_or_none()
