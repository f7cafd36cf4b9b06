"""What is left of a segment, and when parts become one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from retrieval.inverted_index.ragged import Array
from retrieval.inverted_index.segment import Segment, merged

SMALL = 256
"""Chunks below which a part is not worth keeping apart from the one before."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A segment and which of its rows are left."""

    segment: Segment
    alive: NDArray[np.bool_]
    document_frequencies: NDArray[np.int64]
    """How many of the rows that are left have the term, by place."""
    chunks: int
    tokens: int

    @classmethod
    def of(cls, segment: Segment, alive: NDArray[np.bool_] | None = None) -> Self:
        """Count what is left of a segment; all of it unless `alive` says otherwise."""
        frequencies = segment.postings.sizes()
        if alive is None:
            alive = np.ones(len(segment), bool)
        elif len(dead := np.flatnonzero(~alive)):
            frequencies -= np.bincount(segment.terms.take(dead).values, minlength=len(frequencies))
        tokens = int(segment.lengths.sum(where=alive, dtype=np.int64))
        return cls(segment, alive, frequencies, int(alive.sum()), tokens)

    def without(self, rows: Array, places: Array, counts: Array) -> "Part":
        """Remove rows, in which so many have the terms at these places."""
        alive, frequencies = self.alive.copy(), self.document_frequencies.copy()
        alive[rows] = False
        frequencies[places] -= counts
        tokens = self.tokens - int(self.segment.lengths[rows].sum(dtype=np.int64))
        return Part(self.segment, alive, frequencies, self.chunks - len(rows), tokens)


def compacted(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Merge parts until each is larger than all after it together, and write anew those that are mostly removed.

    A chunk is merged about as often as the index doubles while it grows.
    """
    tail: list[Part] = []
    kept = [part for part in parts if part.chunks]
    while kept and (not tail or kept[-1].chunks <= max(SMALL, sum(part.chunks for part in tail))):
        tail.insert(0, kept.pop())
    return tuple(map(_whole, (*kept, _joined(tail)) if len(tail) > 1 else (*kept, *tail)))


def _joined(parts: Sequence[Part]) -> Part:
    return Part.of(merged([part.segment for part in parts], [np.flatnonzero(part.alive) for part in parts]))


def _whole(part: Part) -> Part:
    return _joined([part]) if 2 * part.chunks < len(part.segment) else part
