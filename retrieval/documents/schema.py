"""The catalogue's tables, and the records that are read from them."""

from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from retrieval.documents.database import PlainText

tables = sa.MetaData()

documents = sa.Table(
    "documents",
    tables,
    sa.Column("doc_id", sa.String(64), primary_key=True),
    sa.Column("revision", sa.String(64), primary_key=True),
    sa.Column("state", sa.String(16), nullable=False),  # pending, current, or replaced
    sa.Column("source", PlainText, nullable=False),
    sa.Column("title", PlainText, nullable=False),
    sa.Column("doc_type", sa.String(16), nullable=False),
    sa.Column("version", PlainText),
    sa.Column("updated_at", PlainText),
    sa.Column("effective_from", PlainText),
    sa.Column("effective_to", PlainText),
    sa.Column("visible_to", sa.JSON, nullable=False),
    sa.Column("supersedes", sa.JSON, nullable=False),
    sa.Column("chunks", sa.Integer, nullable=False),
    sa.Column("ingested_at", sa.Text, nullable=False),
)

copies = sa.Table(
    "copies",
    tables,
    sa.Column("doc_id", sa.String(64), primary_key=True),
    sa.Column("original", sa.String(64), nullable=False, index=True),  # doc_id of the document whose chunks it shares
    sa.Column("revision", sa.String(64), nullable=False),
    sa.Column("source", PlainText, nullable=False),
    sa.Column("updated_at", PlainText),
)

files = sa.Table(
    "files",
    tables,
    sa.Column("doc_id", sa.String(64), primary_key=True),
    sa.Column("path", PlainText),  # none for what came by standard input
    sa.Column("content_hash", sa.String(64), nullable=False, index=True),
    sa.Column("fingerprint", sa.String(64), nullable=False),
)

failures = sa.Table(
    "failures",
    tables,
    sa.Column("source", PlainText, primary_key=True),
    sa.Column("error", PlainText, nullable=False),
    sa.Column("failed_at", sa.Text, nullable=False),
)

manifest = sa.Table(
    "manifest",
    tables,
    sa.Column("key", sa.String(64), primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)

leases = sa.Table(
    "leases",
    tables,
    sa.Column("name", sa.String(32), primary_key=True),
    sa.Column("token", sa.String(32), nullable=False),  # of the one that holds it
    sa.Column("host", sa.Text, nullable=False),
    sa.Column("process", sa.Integer, nullable=False),
    sa.Column("expires_at", sa.Float, nullable=False),  # seconds since 1970
)


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
    effective_from: str | None = None
    effective_to: str | None = None
    visible_to: tuple[str, ...] = ()
    superseded_by: str | None = None
    """Source of the document that took this one's place."""
    supersedes: tuple[str, ...] = ()
    same_as: str | None = None
    """Id of the document of the same content whose chunks it shares; None when it has its own."""


@dataclass(frozen=True, slots=True)
class FileState:
    """What a document was made from."""

    path: str | None
    """Whole path; None for what came by standard input."""
    content_hash: str
    fingerprint: str
    """Of everything that shapes the chunks and who may see them; documents with the same one can share chunks."""

    @property
    def is_gone(self) -> bool:
        """Say whether the file is no longer where it was; one that cannot be looked for is not."""
        try:
            return self.path is not None and not Path(self.path).exists()
        except OSError:
            return False
