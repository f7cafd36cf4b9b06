"""A question becomes ranked hits: recall by both legs, fuse by rank, show what says the same once, rerank, keep k."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from preprocessing.errors import FolioError
from retrieval.embed.embedder import Embedder
from retrieval.filters import Filter
from retrieval.fusion import fuse, votes
from retrieval.hit import Hit, Leg, LegScore
from retrieval.near_duplicates import once_each
from retrieval.rerank.rerank import Reranker
from retrieval.store.store import Store

Mode = Literal["hybrid", "vector", "keyword"]
MODES: tuple[Mode, ...] = get_args(Mode)


class SearchError(FolioError):
    """A search could not be run as asked."""


class NoDocuments(FolioError):
    """There is nothing to search yet."""


@dataclass(frozen=True, slots=True)
class Engine:
    """The parts that a search runs on, and how their ranks are weighed."""

    embedder: Embedder
    store: Store
    reranker: Reranker | None = None
    candidates: int = 20
    rrf_k: int = 60
    weights: Mapping[Leg, float] = field(default_factory=lambda: {"vector": 1.0, "keyword": 1.0})


def search(
    question: str, engine: Engine, where: Filter, *, k: int = 5, mode: Mode = "hybrid", rerank: bool = True
) -> list[Hit]:
    """Return the k best allowed chunks for the question, best first.

    Raises SearchError for a blank question, k below 1, or an unknown mode.
    """
    check(question, k, mode)
    hits = gather(question, engine, where, k=k, mode=mode).distinct
    if rerank and engine.reranker is not None:
        hits = engine.reranker.rerank(question, hits)
    return hits[:k]


@dataclass(frozen=True, slots=True)
class Gathered:
    """What the legs found for a question, and what became of it before the reranker."""

    legs: Mapping[Leg, list[Hit]]
    fused: list[Hit]
    """Everything that a leg found."""
    distinct: list[Hit]
    """The best of them, near duplicates once."""


def gather(question: str, engine: Engine, where: Filter, *, k: int, mode: Mode) -> Gathered:
    """Return the candidates that go to the reranker, and where they come from.

    The legs are asked for more while duplicates leave fewer than k and there is more.
    """
    limit = depth = max(k, engine.candidates)
    while True:
        legs = recall(question, engine, where, mode=mode, candidates=depth)
        fused = fuse(legs, votes(question, legs, engine.weights), engine.rrf_k)
        distinct = once_each(fused)
        if len(distinct) >= k or all(len(found) < depth for found in legs.values()):
            return Gathered(legs, fused, distinct[:limit])
        depth *= 2


def check(question: str, k: int, mode: str) -> None:
    """Raise SearchError where a search cannot be run as asked."""
    if not question.strip():
        raise SearchError("the question is blank; type what you want to know")
    if k < 1:
        raise SearchError(f"k is {k}; it must be 1 or more")
    if mode not in MODES:
        raise SearchError(f"unknown mode {mode!r}; choose one of {', '.join(MODES)}")


def recall(question: str, engine: Engine, where: Filter, *, mode: Mode, candidates: int) -> dict[Leg, list[Hit]]:
    """Ask each leg of the mode for its candidates; the filter is applied inside the leg."""
    legs: dict[Leg, list[Hit]] = {}
    if mode != "keyword":
        legs["vector"] = engine.store.search(engine.embedder.embed_query(question), candidates, where)
    if mode != "vector":
        legs["keyword"] = with_text(engine.store.search_keyword(question, candidates, where), engine.store)
    return legs


def with_text(scored: Sequence[tuple[str, float]], store: Store) -> list[Hit]:
    """Turn (chunk id, score) of the keyword leg, best first, into hits."""
    chunks = {chunk.chunk_id: chunk for chunk in store.get([chunk_id for chunk_id, _ in scored])}
    return [
        Hit(chunks[chunk_id], score, {"keyword": LegScore(rank, score)})
        for rank, (chunk_id, score) in enumerate(((c, s) for c, s in scored if c in chunks), start=1)
    ]
