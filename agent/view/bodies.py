"""What goes over the wire, from HTTP and MCP alike: bodies of questions, searches, answers and documents."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import date
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field

from preprocessing.errors import FolioError
from retrieval.documents.schema import DocumentRecord
from retrieval.filters import Filter, Filters
from retrieval.hit import Hit, Leg, as_json
from retrieval.search import NoDocuments
from retrieval.text.dates import read_day

if TYPE_CHECKING:
    from agent.answer import Citation, CitedAnswer
    from retrieval.knowledge_base import KnowledgeBase

MAX_TOP_K = 50
MAX_QUESTION_CHARS = 8000

Values = Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)]


def _day(value: Any) -> Any:
    if not isinstance(value, str):
        raise ValueError("must be a day, such as 2024-01-31")
    try:
        return read_day(value, "as_of")
    except FolioError as error:
        raise ValueError(str(error)) from None


def _question(value: str) -> str:
    if not value.strip():
        raise ValueError("is blank; say what you want to know")
    # PostgreSQL keeps no text with a NUL in it.
    return value.replace("\0", " ")


SessionName = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_.:@-]+$")]
Question = Annotated[
    str,
    Field(min_length=1, max_length=MAX_QUESTION_CHARS, json_schema_extra={"pattern": r"\S"}),
    AfterValidator(_question),
]
TopK = Annotated[int, Field(ge=1, le=MAX_TOP_K)]
AsOf = Annotated[date, BeforeValidator(_day)]


class Body(BaseModel):
    """What a client sends; a name that is not known is a mistake."""

    model_config = ConfigDict(extra="forbid")


class Narrowed(Body):
    """What narrows a search."""

    filters: dict[Annotated[str, Field(min_length=1)], str | Values] = Field(
        default_factory=dict,
        description="Field or metadata key → value, or values any of which is enough. A key may end in >=, >, <= or <, "
        "for numbers and dates; of source and section a value may end in *.",
        examples=[{"doc_type": "pdf", "updated_at>=": "2024", "department": ["hr", "it"]}],
    )
    as_of: AsOf | None = Field(None, description="What was in force on that day.", examples=["2024-01-31"])

    def checked_filters(self) -> Filters:
        """Return the filters as a search takes them. Raises FilterError."""
        filters = {key: (value,) if isinstance(value, str) else tuple(value) for key, value in self.filters.items()}
        Filter.of(filters)
        return filters


class Asked(Narrowed):
    """A question."""

    question: Question = Field(description="The question as the person asked it, in Chinese or English.")
    session: SessionName | None = Field(
        None, description="Name of the conversation; the same name again lets a question refer to those before it."
    )
    top_k: TopK | None = Field(None, description="Passages that one search shows to the model.")


class ChatRequest(Asked):
    """A question, and how it is answered."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"question": "转正员工年假有几天？"},
                {"question": "And in the first year?", "session": "5f0c1f6f0f0b", "top_k": 8, "stream": True},
            ]
        }
    )

    stream: bool = Field(False, description="Answer with server-sent events.")


class Wanted(Narrowed):
    """A search for passages, without an answer."""

    query: Question = Field(description="What to look for, in Chinese or English; a whole question is best.")
    top_k: TopK = Field(5, description="How many passages.")
    mode: Literal["hybrid", "vector", "keyword"] = Field("hybrid", description="keyword is for exact words and codes.")

    def searched(self, base: "KnowledgeBase", groups: Sequence[str], *, rerank: bool = True) -> "SearchReply":
        """Return what these groups find, nothing where there are no documents. Raises FilterError."""
        filters = self.checked_filters()
        try:
            hits = base.search(self.query, self.top_k, self.mode, filters, groups, rerank, self.as_of)
        except NoDocuments:
            hits = []
        return SearchReply(query=self.query, hits=[_found(rank, hit) for rank, hit in enumerate(hits, start=1)])


class SearchRequest(Wanted):
    """A search, and whether what it finds is ranked anew."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"query": "ERR_4032", "top_k": 3, "mode": "keyword"}]})

    rerank: bool = True


class Source(BaseModel):
    """A passage that an answer cites."""

    id: str = Field(description="Its label in the text of the answer.", examples=["S1"])
    document_id: str
    filename: str
    source: str = Field(description="The whole name of the document.")
    heading: str
    page: int | None = None
    content: str
    quote: str = Field(description="The sentence of the passage that bears the answer, word for word.")
    score: float
    chunk_id: str


class CheckedClaim(BaseModel):
    """What became of one sentence of the answer."""

    claim: str = Field(description="The sentence as the model wrote it.")
    labels: list[str] = Field(description="The passages that it stands on now.")
    status: Literal["supported", "repaired", "removed", "unsupported"]
    reason: str = Field(description="Why it is not simply supported.")
    missing: list[str] = Field(description="Facts that stand in none of the cited passages.")
    cited: list[str] = Field(description="The passages that it cited.")


class Usage(BaseModel):
    """What an answer took."""

    llm_calls: int
    tool_calls: int
    prompt_tokens: int
    completion_tokens: int


class ChatReply(BaseModel):
    """An answer, or a refusal."""

    answer: str
    refused: bool
    reason: str | None = Field(
        None,
        description="None for an answer; for a refusal `no_documents`, `not_found`, `unsupported` or `no_question`.",
    )
    provider: str = Field(description="The model that answered; `offline` is the built-in one.")
    sources: list[Source]
    checks: list[CheckedClaim]
    usage: Usage
    session: str
    trace_id: str
    notices: list[str] = Field(
        default_factory=list,
        description="What to show beside the answer, a line each: which earlier answers of the session no longer hold, "
        "because a document that they cite has changed.",
    )


class Place(BaseModel):
    """Where a stage ranked a passage; scores compare within a stage only."""

    rank: int
    score: float


class SearchHit(BaseModel):
    """A passage that was found; `legs` says where each stage ranked it."""

    rank: int
    score: float
    chunk_id: str
    document_id: str
    filename: str
    source: str
    heading: str
    section: str
    page: int | None
    content: str
    also_in: list[str]
    superseded_by: str | None
    legs: dict[Leg, Place | None]


class SearchReply(BaseModel):
    """What was found, best first."""

    query: str
    hits: list[SearchHit]


class ListedDocument(BaseModel):
    """A document that can be searched and read."""

    model_config = ConfigDict(from_attributes=True)

    document_id: str = Field(validation_alias=AliasChoices("doc_id", "document_id"))
    source: str = Field(description="Its whole name.")
    title: str
    doc_type: str
    version: str | None
    updated_at: str | None
    effective_from: str | None
    effective_to: str | None
    superseded_by: str | None = Field(description="Name of the document that took its place.")


def listed(record: DocumentRecord, names: set[str]) -> ListedDocument:
    """Return a document as it is listed for a caller who may see those of these names."""
    document = ListedDocument.model_validate(record)
    # The name of a document that the caller may not see is not theirs to know either.
    return document if record.superseded_by in names else document.model_copy(update={"superseded_by": None})


def chat_reply(answer: "CitedAnswer", provider: str) -> ChatReply:
    """Return the answer with the passages that it cites; `provider` is the model that gave it."""
    return ChatReply(
        answer=answer.answer,
        refused=answer.refused,
        reason=answer.reason,
        provider=provider,
        sources=[_source(citation, answer) for citation in answer.citations],
        checks=[CheckedClaim(**asdict(check)) for check in answer.checks],
        usage=Usage(**answer.usage),
        session=answer.session,
        trace_id=answer.trace_id,
        notices=list(answer.notices),
    )


def _source(citation: "Citation", answer: "CitedAnswer") -> Source:
    hit = answer.passages[citation.label]
    return Source(
        id=citation.label,
        document_id=hit.chunk.doc_id,
        filename=PurePosixPath(citation.source).name,
        source=citation.source,
        heading=hit.chunk.heading,
        page=citation.page,
        content=hit.chunk.text,
        quote=citation.quote,
        score=hit.score,
        chunk_id=citation.chunk_id,
    )


def _found(rank: int, hit: Hit) -> SearchHit:
    shown: dict[str, Any] = as_json(rank, hit)
    return SearchHit(
        document_id=shown.pop("doc_id"),
        filename=PurePosixPath(hit.chunk.source).name,
        heading=hit.chunk.heading,
        content=shown.pop("text"),
        **shown,
    )
