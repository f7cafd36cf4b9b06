"""Weighted reciprocal rank fusion."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from retrieval.hit import Hit, Leg, LegScore


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
