"""A hit: one chunk, ranked, with the rank and score that every leg gave it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from preprocessing.document import Chunk

Leg = Literal["vector", "keyword", "fused", "rerank"]


@dataclass(frozen=True, slots=True)
class LegScore:
    """Place of a hit in one leg."""

    rank: int
    """From 1."""
    score: float
    """On the scale of that leg; comparable only within it."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk found for a question; every stage takes and returns `list[Hit]`, best first."""

    chunk: Chunk
    score: float
    """Score of the last stage that ranked the hit."""
    legs: Mapping[Leg, LegScore] = field(default_factory=dict)
    also_in: tuple[str, ...] = ()
    """Sources of other documents that say the same and are not shown for it."""
    superseded_by: str | None = None
    """Source of the document that has taken the place of this one."""
    answerability: float | None = None
    """How likely it holds the answer, 0 to 1; None where the reranker is not one that was calibrated."""


def as_json(rank: int, hit: Hit) -> dict[str, Any]:
    """Return the hit in the form of `folio search --json`; a leg that did not find it is null."""
    chunk = hit.chunk
    places = {leg: hit.legs.get(leg) for leg in get_args(Leg)}
    return {
        "rank": rank,
        "score": hit.score,
        "chunk_id": chunk.chunk_id,
        "doc_id": chunk.doc_id,
        "source": chunk.source,
        "section": " > ".join(chunk.section),
        "page": chunk.page,
        "text": chunk.text,
        "also_in": list(hit.also_in),
        "superseded_by": hit.superseded_by,
        "answerability": hit.answerability,
        "legs": {leg: {"rank": place.rank, "score": place.score} if place else None for leg, place in places.items()},
    }
