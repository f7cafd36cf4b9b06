"""The tools: each takes checked arguments and gives a result, in a form for programs and as text."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel

from agent.assistant import Assistant
from agent.mcp.bodies import (
    MOST_CHARS,
    ListArguments,
    ListedDocuments,
    ReadArguments,
    ReadText,
    documents_text,
    hits_text,
    read_text,
)
from agent.view.bodies import Asked, ChatReply, SearchReply, Wanted, chat_reply, listed
from agent.view.text import answer_text, progress_text
from preprocessing.errors import FolioError
from retrieval.documents.outline import SectionText, sections_named, sections_of
from retrieval.text.writing import language_of

A = TypeVar("A", bound=BaseModel)


class Waiting(Protocol):
    """Whoever waits for a result. Both methods raise when nobody does any more."""

    def tell(self, doing: str) -> None:
        """Say what is being done."""

    def check(self) -> None:
        """Say nothing."""


@dataclass(frozen=True, slots=True)
class Call:
    """What one call of a tool works with."""

    assistant: Callable[[], AbstractContextManager[Assistant]]
    groups: Sequence[str]
    """Groups on whose behalf it is made."""
    claim: Callable[[str | None], str | None]
    """Returns the session to ask in. Raises FolioError for one of somebody else."""
    waiting: Waiting
    """Who waits for the result."""


@dataclass(frozen=True, slots=True)
class Tool(Generic[A]):
    """A tool as clients see it, and what it does."""

    name: str
    title: str
    description: str
    arguments: type[A]
    result: type[BaseModel]
    run: Callable[[Call, A], tuple[BaseModel, str]]


def knowledge_search(call: Call, arguments: Wanted) -> tuple[SearchReply, str]:
    """Find passages."""
    with call.assistant() as assistant:
        found = arguments.searched(assistant.knowledge_base, call.groups)
    return found, hits_text(found)


def ask(call: Call, arguments: Asked) -> tuple[ChatReply, str]:
    """Answer a question."""
    filters = arguments.checked_filters()
    session, language = call.claim(arguments.session), language_of(arguments.question)
    with call.assistant() as assistant:
        answer = assistant.ask(
            arguments.question,
            session,
            listen=lambda event: call.waiting.tell(progress_text(event, language)),
            on_draft=lambda _number, _text: call.waiting.check(),
            filters=filters,
            viewer=call.groups,
            as_of=arguments.as_of,
            top_k=arguments.top_k,
        )
        provider = assistant.settings.chat_model_name
    return chat_reply(answer, provider), answer_text(arguments.question, answer)


def list_documents(call: Call, arguments: ListArguments) -> tuple[ListedDocuments, str]:
    """List documents that the groups may see."""
    with call.assistant() as assistant:
        records = assistant.knowledge_base.documents(call.groups)
    names = {record.source for record in records}
    wanted = arguments.name.strip().casefold()
    every = [listed(record, names) for record in records if wanted in f"{record.source}\n{record.title}".casefold()]
    page = every[arguments.offset : arguments.offset + arguments.limit]
    documents = ListedDocuments(total=len(every), documents=page)
    return documents, documents_text(documents, arguments.offset)


def read_section(call: Call, arguments: ReadArguments) -> tuple[ReadText, str]:
    """Read a section, or a document from its beginning."""
    with call.assistant() as assistant:
        record, chunks = assistant.knowledge_base.read(arguments.document, call.groups)
        visible = {other.source for other in assistant.knowledge_base.documents(call.groups)}
    sections = sections_of(chunks)
    wanted = sections_named(arguments.section, record.title, sections) if arguments.section else sections
    whole = "\n\n".join(_with_heading(section) for section in wanted)
    if arguments.offset > len(whole):
        raise FolioError(f"offset is {arguments.offset}, but the text has {len(whole)} characters; begin with 0")
    text = whole[arguments.offset : arguments.offset + MOST_CHARS]
    end = arguments.offset + len(text)
    read = ReadText(
        document_id=record.doc_id,
        source=record.source,
        title=record.title,
        superseded_by=record.superseded_by if record.superseded_by in visible else None,
        section=arguments.section,
        page=wanted[0].page if wanted else None,
        text=text,
        next_offset=end if end < len(whole) else None,
        sections=list(dict.fromkeys(" > ".join(section.path) for section in sections if section.path)),
    )
    return read, read_text(read, arguments.offset)


TOOLS: Mapping[str, Tool[Any]] = {
    tool.name: tool
    for tool in (
        Tool(
            "ask",
            "Ask the documents",
            "Answer a question from the organisation's documents, in the language of the question. Each sentence of "
            "the answer carries labels such as [S1] of the passages that it was checked against; without evidence it "
            "is a refusal that says what was searched.",
            Asked,
            ChatReply,
            ask,
        ),
        Tool(
            "knowledge_search",
            "Search the documents",
            "Find passages of the organisation's documents by meaning and by exact words, best first, without an "
            "answer.",
            Wanted,
            SearchReply,
            knowledge_search,
        ),
        Tool(
            "list_documents",
            "List the documents",
            "List the organisation's documents by name, with version, dates and what supersedes them.",
            ListArguments,
            ListedDocuments,
            list_documents,
        ),
        Tool(
            "read_section",
            "Read a document",
            "Read one section of a document, or the document from its beginning, word for word.",
            ReadArguments,
            ReadText,
            read_section,
        ),
    )
}


def _with_heading(section: SectionText) -> str:
    return f"{' > '.join(section.path)}\n{section.text}" if section.path else section.text
