"""Passages: found by a search, or read as the sections of a document."""

from itertools import groupby
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query
from pydantic import BaseModel, Field

from agent.http.documents import DocumentId, Page, ShownDocument, shown
from agent.http.door import AtDoor, Door, Reader, takes_json
from agent.http.keys import Caller
from agent.http.problems import Refused, problems
from agent.view.bodies import SearchReply, SearchRequest
from preprocessing.document import Chunk


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

    document: ShownDocument
    section: ShownSection
    left_out_before: int = Field(description="Passages of the section that stand before those shown.")
    left_out_after: int


class DocumentSections(BaseModel):
    """A document from its beginning, or from the passage where a page of it begins."""

    document: ShownDocument
    total: int = Field(description="Passages of the document.")
    sections: list[ShownSection]


router = APIRouter()


@router.post(
    "/api/search", tags=["search"], dependencies=[Depends(takes_json)], responses=problems(400, 413, 415, 422, 502)
)
def search(body: SearchRequest, at: AtDoor, caller: Reader) -> SearchReply:
    """Return the best passages that the caller may see, best first."""
    return body.searched(at.assistant.knowledge_base, caller.groups, rerank=body.rerank)


MOST_AROUND = 20
"""Passages that are shown before one, and after it: a file without headings is one section."""

PassageId = Annotated[
    str, Path(pattern=r"^[0-9a-f]{16}-[0-9a-f]{1,64}-[0-9]{4,9}$", examples=["0123456789abcdef-a5f168cf-0004"])
]


@router.get("/api/documents/{document_id}/sections", tags=["documents"], responses=problems(404, 422, 502))
def read_document(
    document_id: DocumentId, at: AtDoor, caller: Reader, page: Annotated[Page, Query()]
) -> DocumentSections:
    """Show the text of a document by section; `limit` and `offset` count passages."""
    document, chunks = _read(at, caller, document_id)
    part = chunks[page.offset : page.offset + page.limit]
    return DocumentSections(document=document, total=len(chunks), sections=[_section(some) for some in _parted(part)])


@router.get("/api/passages/{passage_id}", tags=["documents"], responses=problems(404, 422, 502))
def show_passage(passage_id: PassageId, at: AtDoor, caller: Reader) -> SectionAround:
    """Show a passage in its section.

    Its id is the `chunk_id` of sources, hits and traces; it is gone when its document was deleted or has changed.
    """
    document, chunks = _read(at, caller, passage_id.partition("-")[0])
    for section in _parted(chunks):
        for place, chunk in enumerate(section):
            if chunk.chunk_id == passage_id:
                first = max(place - MOST_AROUND, 0)
                near = section[first : place + MOST_AROUND + 1]
                return SectionAround(
                    document=document,
                    section=_section(near),
                    left_out_before=first,
                    left_out_after=len(section) - first - len(near),
                )
    raise Refused(404, f"there is no passage {passage_id!r}; its document has changed")


def _read(at: Door, caller: Caller, doc_id: str) -> tuple[ShownDocument, list[Chunk]]:
    # Text is shown to those whose searches find it; an administrator only sees in lists what is there.
    base = at.assistant.knowledge_base
    record, chunks = base.read(doc_id, caller.groups)
    return shown(record, {one.source for one in base.documents(caller.groups)}), chunks


def _parted(chunks: list[Chunk]) -> list[list[Chunk]]:
    return [list(section) for _, section in groupby(chunks, key=lambda chunk: chunk.section)]


def _section(chunks: list[Chunk]) -> ShownSection:
    return ShownSection(
        section=" > ".join(chunks[0].section),
        page=chunks[0].page,
        passages=[ShownPassage(chunk_id=chunk.chunk_id, page=chunk.page, content=chunk.text) for chunk in chunks],
    )
