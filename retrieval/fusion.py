"""Weighted reciprocal rank fusion, and how many votes each leg has for one question."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from retrieval.hit import Hit, Leg, LegScore
from retrieval.text.tokens import query_tokens, tokenize
from retrieval.text.writing import is_code


def fuse(legs: Mapping[Leg, Sequence[Hit]], weights: Mapping[Leg, float], k: int = 60) -> list[Hit]:
    """Return each chunk of any leg once, ranked by the sum of `weight / (k + rank)` over the legs that found it.

    Cormack, Clarke and Büttcher: Reciprocal Rank Fusion outperforms Condorcet and individual rank learning
    methods, SIGIR 2009. Ranks count from 1; equal sums keep the order of the chunk ids, so that a run repeats.
    """
    scores: dict[str, float] = {}
    found: dict[str, Hit] = {}
    for leg, hits in legs.items():
        for rank, hit in enumerate(hits, start=1):
            chunk_id = hit.chunk.chunk_id
            scores[chunk_id] = scores.get(chunk_id, 0.0) + weights[leg] / (k + rank)
            seen = found.get(chunk_id)
            found[chunk_id] = replace(hit, legs={**seen.legs, **hit.legs}) if seen else hit
    order = sorted(scores, key=lambda chunk_id: (-scores[chunk_id], chunk_id))
    return [
        replace(
            found[chunk_id],
            score=scores[chunk_id],
            legs={**found[chunk_id].legs, "fused": LegScore(rank, scores[chunk_id])},
        )
        for rank, chunk_id in enumerate(order, start=1)
    ]


_ENOUGH = 0.5
"""Share of the question's tokens in the best hit from which the leg counts in full."""


def votes(question: str, legs: Mapping[Leg, Sequence[Hit]], weights: Mapping[Leg, float]) -> dict[Leg, float]:
    """Return the weight of each leg for this question, at most that of `weights`; a leg alone keeps its own."""
    if len(legs) < 2:
        return {leg: weights[leg] for leg in legs}
    shares: dict[Leg, float] = {"keyword": keyword_share(question, legs.get("keyword", ()))}
    return {leg: weights[leg] * shares.get(leg, 1.0) for leg in legs}


def keyword_share(question: str, hits: Sequence[Hit]) -> float:
    """Return 0 to 1: how much of the question stands in the best of the hits; a code that does is enough."""
    if not hits:
        return 0.0
    asked, found = set(query_tokens(question)), set(tokenize(hits[0].chunk.search_text))
    shared = asked & found
    if any(is_code(token) for token in shared):
        return 1.0
    return min(1.0, len(shared) / len(asked) / _ENOUGH)
