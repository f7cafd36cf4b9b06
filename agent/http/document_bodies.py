"""The bodies of answers about documents."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from agent.http.bring_in import DocumentTaken
from agent.http.problems import Problem
from agent.http.shapes import Body
from retrieval.catalogue import DocumentRecord


class Page(Body):
    """Which part of a list."""

    limit: int = Field(100, ge=1, le=1000)
    offset: int = Field(0, ge=0, le=10_000_000)


class ListedDocument(BaseModel):
    """A document that can be searched and read."""

    document_id: str
    source: str = Field(description="Its whole name.")
    title: str
    doc_type: str
    version: str | None
    updated_at: str | None
    effective_from: str | None
    effective_to: str | None
    superseded_by: str | None = Field(description="Name of the document that took its place.")


class ShownDocument(ListedDocument):
    """A document that the caller may see."""

    filename: str
    chunk_count: int


def listed(record: DocumentRecord, names: set[str]) -> ListedDocument:
    """Return a document as it is listed for a caller who may see those of these names."""
    return ListedDocument(
        document_id=record.doc_id,
        source=record.source,
        title=record.title,
        doc_type=record.doc_type,
        version=record.version,
        updated_at=record.updated_at,
        effective_from=record.effective_from,
        effective_to=record.effective_to,
        # The name of a document that the caller may not see is not theirs to know either.
        superseded_by=record.superseded_by if record.superseded_by in names else None,
    )


class DocumentList(BaseModel):
    """Documents by name."""

    total: int
    documents: list[ShownDocument]


class UploadState(BaseModel):
    """Where an upload is that is brought in after its request was answered."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "upload_id": "5f0c1f6f0f0b4a43a1b2c3d4e5f60718",
                    "filename": "handbook.pdf",
                    "status": "waiting",
                    "status_url": "/api/uploads/5f0c1f6f0f0b4a43a1b2c3d4e5f60718",
                }
            ]
        }
    )

    upload_id: str
    filename: str
    status: Literal["waiting", "running", "done", "failed"]
    status_url: str
    document: DocumentTaken | None = None
    problem: Problem | None = None
