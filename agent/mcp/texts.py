"""What the tools give, as text for people and models to read."""

from collections.abc import Sequence

from agent.http.document_bodies import ListedDocument
from agent.http.shapes import SearchHit, SearchReply
from agent.language import Language, language_of
from agent.mcp.bodies import ListedDocuments, ReadText
from agent.refusal import format_place
from agent.untrusted import harmless

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
