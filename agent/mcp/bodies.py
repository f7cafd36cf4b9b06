"""What the tools take and give, as bodies and as text, beside what HTTP gives in the same form."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, Field

from agent.evidence import format_place, harmless
from agent.view.bodies import Body, ListedDocument, SearchHit, SearchReply
from retrieval.text.writing import Language, language_of

MOST_CHARS = 12_000
"""Of a document that one call gives: what a model reads well at a time."""

Name = Annotated[str, Field(min_length=1, max_length=1000, json_schema_extra={"pattern": r"\S"})]


class ListArguments(Body):
    """Which documents to list."""

    name: str = Field("", max_length=1000, description="Only documents with this in their name or title.")
    limit: int = Field(100, ge=1, le=1000)
    offset: int = Field(0, ge=0, le=10_000_000, description="How many to pass over.")


class ReadArguments(Body):
    """What to read."""

    document: Name = Field(description="Id, name or file name of the document, as in a passage or in the list.")
    section: Name | None = Field(
        None,
        description="Heading, or headings from the outermost on, parted by >; all beneath is read too. Without it, the "
        "document is read from its beginning.",
        examples=["休假制度 > 年假"],
    )
    offset: int = Field(0, ge=0, description="Characters to pass over: next_offset of the call before.")


class ListedDocuments(BaseModel):
    """Documents by name."""

    total: int = Field(description="How many there are, also those that this call does not list.")
    documents: list[ListedDocument]


class ReadText(BaseModel):
    """Text of a document, word for word."""

    document_id: str
    source: str
    title: str
    superseded_by: str | None = Field(description="Name of the document that took its place.")
    section: str | None = Field(description="What was asked for; null is the whole document.")
    page: int | None = Field(description="Page on which the text begins, where the document has pages.")
    text: str
    next_offset: int | None = Field(description="Where to go on reading; null at the end.")
    sections: list[str] = Field(description="Headings of all sections of the document.")


_MOST_HEADINGS = 60


def hits_text(found: SearchReply) -> str:
    """Return the passages, best first, in the language of the query."""
    language = language_of(found.query)
    if not found.hits:
        return "没有找到相关的段落。" if language == "zh" else "No passage was found."
    return "\n\n".join(_hit_text(hit, language) for hit in found.hits)


def documents_text(listed: ListedDocuments, offset: int) -> str:
    """Return the list, a document a line."""
    lines = [_document_line(document) for document in listed.documents]
    end = offset + len(lines)
    if not lines:
        return f"No document here; there are {listed.total} in all." if listed.total else "There are no documents."
    return "\n".join([f"Documents {offset + 1} to {end} of {listed.total}:", *lines])


def read_text(read: ReadText, offset: int) -> str:
    """Return the text as a quotation, with where it stands and how to go on."""
    language = language_of(read.title + read.source)
    place = format_place(read.source, read.section or "", read.page, chinese=language == "zh")
    lines = [f"{read.title} ({place})"]
    if read.superseded_by:
        lines.append(f"superseded by {read.superseded_by}")
    lines.append(_quoted(read.text))
    if read.next_offset is not None:
        lines.append(f"(goes on; read it with offset {read.next_offset})")
    if read.section is None and not offset and read.sections:
        lines += ["", "Sections:", *_headings(read.sections)]
    return "\n".join(lines)


def _hit_text(hit: SearchHit, language: Language) -> str:
    lines = [f"{hit.rank}. {hit.heading} ({format_place(hit.source, '', hit.page, chinese=language == 'zh')})"]
    if hit.superseded_by:
        lines.append(f"   superseded by {hit.superseded_by}")
    if hit.also_in:
        lines.append(f"   the same in {', '.join(hit.also_in)}")
    return "\n".join([*lines, _quoted(hit.content)])


def _document_line(document: ListedDocument) -> str:
    parts = [
        document.title if document.title != document.source else "",
        f"version {document.version}" if document.version else "",
        f"from {document.effective_from}" if document.effective_from else "",
        f"to {document.effective_to}" if document.effective_to else "",
        f"updated {document.updated_at}" if document.updated_at else "",
        f"superseded by {document.superseded_by}" if document.superseded_by else "",
    ]
    return f"- {document.source}: {', '.join(filter(None, parts))} (id {document.document_id})"


def _headings(sections: Sequence[str]) -> list[str]:
    lines = [f"- {heading}" for heading in sections[:_MOST_HEADINGS]]
    return [*lines, f"- … and {len(sections) - _MOST_HEADINGS} more"] if len(sections) > _MOST_HEADINGS else lines


def _quoted(text: str) -> str:
    # What a document says is data: it is set apart, and what gives orders to a model is left out.
    return "\n".join(f"> {line}" for line in harmless(text).splitlines())
