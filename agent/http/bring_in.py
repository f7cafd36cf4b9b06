"""An uploaded file becomes a document, in the place of none but its own earlier state."""

import hashlib
import unicodedata
from pathlib import Path, PurePosixPath
from typing import Literal

from pydantic import BaseModel, ConfigDict

from agent.http.caller import Caller
from agent.http.problems import Refused
from preprocessing.errors import LoadError
from preprocessing.load import OPENED, unsupported
from preprocessing.source import document_id
from preprocessing.visibility import PUBLIC, groups_of, is_visibility
from retrieval.catalogue import DocumentRecord
from retrieval.given import Metadata
from retrieval.knowledge_base import KnowledgeBase


class DocumentTaken(BaseModel):
    """A document that is in."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "document_id": "0123456789abcdef",
                    "filename": "leave.md",
                    "chunk_count": 3,
                    "outcome": "new",
                    "warnings": [],
                }
            ]
        }
    )

    document_id: str
    filename: str
    chunk_count: int
    outcome: Literal["new", "updated", "unchanged"]
    warnings: list[str]
    """What a person should know, such as pages without text."""


def checked_name(name: str | None) -> str:
    """Return the name of a document that an upload may have. Raises Refused for a type that is not read."""
    # A Mac sends the parts of a letter one by one; the same name is the same document from everywhere.
    name = unicodedata.normalize("NFC", name or "")
    if Path(name).suffix.lower() not in OPENED:
        raise Refused(415, unsupported(Path(name)))
    return name


def check_metadata(metadata: Metadata, caller: Caller) -> None:
    """Refuse to show a document to groups that the caller is not of; an administrator may."""
    stated = [groups_of(value) for key, value in metadata.items() if is_visibility(key)]
    foreign = {group for groups in stated for group in groups} - {*caller.groups, PUBLIC}
    if foreign and not caller.may("admin"):
        raise Refused(403, f"this key is not of the group {min(foreign)!r}, so it cannot make documents visible to it")


def bring_in(
    knowledge_base: KnowledgeBase, caller: Caller, data: bytes, name: str, metadata: Metadata, *, replace: bool
) -> DocumentTaken:
    """Bring the bytes in as the document of that name.

    Raises Refused when another document has the name and is not to be replaced, or is none of the caller's, and
    whatever kept the file from being read.
    """
    if not data.strip():
        raise Refused(400, f"{name}: file is empty")
    doc_id = document_id(Path(name))
    before = knowledge_base.document(doc_id)
    if before and not _may_see(caller, before):
        raise Refused(409, f"there is a document {name} already; send another name")
    is_same = before is not None and knowledge_base.is_made_from(doc_id, hashlib.sha256(data).hexdigest())
    if before and not is_same and not replace:
        raise Refused(
            409,
            f"there is a document {name} already; send replace=true to put this in its place, or another name",
            document_id=doc_id,
        )
    report = knowledge_base.ingest_data(data, name, metadata)
    for source, reason in report.failed:
        cause = report.causes.get(source)
        raise LoadError(f"{name}: {reason}") if cause is None or isinstance(cause, LoadError) else cause
    return DocumentTaken(
        document_id=doc_id,
        filename=PurePosixPath(name).name,
        chunk_count=report.chunks,
        outcome="unchanged" if report.unchanged else "updated" if report.updated else "new",
        warnings=[warning for _, warning in report.warnings],
    )


def _may_see(caller: Caller, record: DocumentRecord) -> bool:
    return not record.visible_to or caller.may("admin") or not set(record.visible_to).isdisjoint(caller.groups)
