"""The bodies of answers about documents."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from agent.http.bring_in import DocumentTaken
from agent.http.problems import Problem
from agent.http.shapes import Body


class Page(Body):
    """Which part of a list."""

    limit: int = Field(100, ge=1, le=1000)
    offset: int = Field(0, ge=0, le=10_000_000)


class ShownDocument(BaseModel):
    """A document that the caller may see."""

    document_id: str
    filename: str
    source: str = Field(description="Its whole name.")
    title: str
    doc_type: str
    version: str | None
    updated_at: str | None
    effective_from: str | None
    effective_to: str | None
    superseded_by: str | None = Field(description="Name of the document that took its place.")
    chunk_count: int


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
