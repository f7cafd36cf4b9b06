"""Answers and hits in the form in which they go over the wire."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from agent.http.shapes import ChatReply, CheckedClaim, SearchHit, SearchReply, Source, Usage
from retrieval.hit import Hit, as_json

if TYPE_CHECKING:
    from agent.answer import Citation, CitedAnswer


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


def search_reply(query: str, hits: Sequence[Hit]) -> SearchReply:
    """Return what was found, best first."""
    return SearchReply(query=query, hits=[_found(rank, hit) for rank, hit in enumerate(hits, start=1)])


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
