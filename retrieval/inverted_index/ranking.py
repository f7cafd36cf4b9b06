"""The best of the rows that a filter allows."""

import heapq
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from retrieval.filters import Filter
from retrieval.inverted_index.snapshot import Snapshot

GROWTH = 8
"""How many times more rows the filter is asked about when it allows too few of those before."""


def best(snapshot: Snapshot, scores: NDArray[np.float64], k: int, where: Filter) -> list[tuple[str, float]]:
    """Return (chunk id, score) of the k best allowed rows that score above 0; equal scores in the order of the ids.

    The scores of rows that the filter cannot allow are set to 0.
    """
    if k < 1:
        return []
    for part, start in zip(snapshot.parts, snapshot.offsets, strict=False):
        scores[start : start + len(part.segment)] *= part.segment.chunks.may_pass(where)
    found: list[tuple[str, float]] = []
    for rows in _falling(scores, k):
        chunks = zip(map(snapshot.chunk, rows.tolist()), scores[rows].tolist(), strict=True)
        found += [(chunk.chunk_id, score) for chunk, score in chunks if where.allows(chunk)]
        if len(found) >= k:
            break
    return heapq.nsmallest(k, found, key=lambda hit: (-hit[1], hit[0]))


def _falling(scores: NDArray[np.float64], wanted: int) -> Iterator[NDArray[np.intp]]:
    """Yield the rows above 0 in groups, each of lower scores than the one before, first at least as many as wanted."""
    above = np.inf
    while above > 0:
        cut = max(np.partition(scores, -wanted)[-wanted], 0.0) if wanted < len(scores) else 0.0
        rows = np.flatnonzero((scores < above) & ((scores >= cut) if cut else (scores > 0)))
        if len(rows):
            yield rows
        above, wanted = cut, wanted * GROWTH
