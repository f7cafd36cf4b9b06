"""Where a document stands in each leg, however deep."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from retrieval.filters import Filter
from retrieval.hit import Hit, Leg
from retrieval.search import Engine, Gathered

DEEPEST = 10_000
"""Rank down to which a document is looked for in a leg."""


@dataclass(frozen=True, slots=True)
class Placing:
    """Where the best passage of the document stands in one stage, and the last one that went on from there."""

    rank: int | None
    """From 1; None when it is not there, or below DEEPEST."""
    score: float | None
    """On the scale of the stage; None when the document shares no word with the question."""
    last_rank: int
    last_score: float | None
    """None when nothing was found at all."""


def placings_of(doc_id: str, question: str, engine: Engine, where: Filter, gathered: Gathered) -> dict[Leg, Placing]:
    """Return the place of the best passage of the document in each leg."""
    vector = engine.embedder.embed_query(question)

    def by_vector(k: int, where: Filter) -> list[tuple[str, float]]:
        return [(hit.chunk.chunk_id, hit.score) for hit in engine.store.search(vector, k, where)]

    def by_keyword(k: int, where: Filter) -> list[tuple[str, float]]:
        return engine.keyword.search(question, k, where)

    own = replace(where, equals={**where.equals, "doc_id": (doc_id,)})
    return {
        "vector": _placing(by_vector, own, where, gathered.legs["vector"]),
        "keyword": _placing(by_keyword, own, where, gathered.legs["keyword"]),
    }


def _placing(
    ask: Callable[[int, Filter], list[tuple[str, float]]], own: Filter, where: Filter, made_it: Sequence[Hit]
) -> Placing:
    last = len(made_it), made_it[-1].score if made_it else None
    best = ask(1, own)
    if not best:
        return Placing(None, None, *last)
    depth = max(last[0], 1)
    while True:
        found = ask(depth, where)
        rank = next((rank for rank, (chunk_id, _) in enumerate(found, start=1) if chunk_id == best[0][0]), None)
        if rank is not None or len(found) < depth or depth >= DEEPEST:
            return Placing(rank, best[0][1], *last)
        depth = min(4 * depth, DEEPEST)
