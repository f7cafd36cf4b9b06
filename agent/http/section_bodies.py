"""The bodies of answers about the text of documents."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from agent.http.document_bodies import ShownDocument

_SECTION: dict[str, Any] = {
    "section": "年假",
    "page": 2,
    "passages": [
        {
            "chunk_id": "0123456789abcdef-a5f168cf-0004",
            "page": 2,
            "content": "试用期员工年假 5 天。转正员工年假 12 天。",
        }
    ],
}
_DOCUMENT: dict[str, Any] = {
    "document_id": "0123456789abcdef",
    "filename": "leave.pdf",
    "source": "hr/leave.pdf",
    "title": "休假制度",
    "doc_type": "pdf",
    "version": "3",
    "updated_at": "2024-01-31",
    "effective_from": "2024-01-31",
    "effective_to": "2024-12-31",
    "superseded_by": "hr/leave-2025.pdf",
    "chunk_count": 3,
}


class ShownPassage(BaseModel):
    """A passage as it is searched and cited."""

    chunk_id: str
    page: int | None
    content: str = Field(description="Markdown.")


class ShownSection(BaseModel):
    """What stands under one heading."""

    section: str = Field(description="Headings from the outermost to this one; empty before the first.")
    page: int | None = Field(description="Where it begins.")
    passages: list[ShownPassage]


class SectionAround(BaseModel):
    """The section that a passage stands in; of a long one, what is near the passage."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"document": _DOCUMENT, "section": _SECTION, "left_out_before": 0, "left_out_after": 0}]
        }
    )

    document: ShownDocument
    section: ShownSection
    left_out_before: int = Field(description="Passages of the section that stand before those shown.")
    left_out_after: int


class DocumentSections(BaseModel):
    """A document from its beginning, or from the passage where a page of it begins."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"document": _DOCUMENT, "total": 1, "sections": [_SECTION]}]}
    )

    document: ShownDocument
    total: int = Field(description="Passages of the document.")
    sections: list[ShownSection]
