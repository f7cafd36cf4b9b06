"""The index as it is at one moment, and the scores of its chunks."""

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from preprocessing.document import Chunk
from retrieval.inverted_index.keys import keys_of
from retrieval.inverted_index.part import Part, compacted
from retrieval.inverted_index.ragged import Array
from retrieval.inverted_index.saturation import K1, Saturation
from retrieval.inverted_index.segment import Segment

EPSILON = 0.25
"""The IDF of a word in more than half of the chunks, as a share of the average IDF."""


@dataclass(frozen=True, eq=False)
class Snapshot:
    """An index that never changes: a change makes another, and a search keeps to the one it began with."""

    parts: tuple[Part, ...] = ()
    """Each larger than all after it together, except for small ones."""
    terms_by_frequency: Mapping[int, int] = field(default_factory=dict)
    """Number of chunks → how many terms stand in so many."""

    @cached_property
    def chunks(self) -> int:
        """Number of chunks."""
        return sum(part.chunks for part in self.parts)

    @cached_property
    def offsets(self) -> list[int]:
        """Row at which each part begins, and the number of rows, removed ones too."""
        return list(accumulate((len(part.segment) for part in self.parts), initial=0))

    def added(self, segment: Segment) -> "Snapshot":
        """Return the index with more chunks; costs as much as they do, and now and then that of merging parts."""
        before = self.document_frequencies(segment.keys)
        return Snapshot(
            compacted((*self.parts, Part.of(segment))),
            _moved(self.terms_by_frequency, before, before + segment.postings.sizes()),
        )

    def without_revision(self, revision: str) -> "Snapshot":
        """Return the index without the chunks of one document state."""
        snapshot = self
        for number, part in enumerate(self.parts):
            rows = part.segment.chunks.rows_of(revision)
            if len(rows := rows[part.alive[rows]]):
                snapshot = snapshot._without(number, rows)
        return snapshot if snapshot is self else Snapshot(compacted(snapshot.parts), snapshot.terms_by_frequency)

    def _without(self, number: int, rows: Array) -> "Snapshot":
        part = self.parts[number]
        places, counts = np.unique(part.segment.terms.take(rows).values, return_counts=True)
        before = self.document_frequencies(part.segment.keys[places])
        parts = (*self.parts[:number], part.without(rows, places, counts), *self.parts[number + 1 :])
        return Snapshot(parts, _moved(self.terms_by_frequency, before, before - counts))

    def document_frequencies(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return how many chunks have each term."""
        total = np.zeros(len(keys), np.int64)
        for part in self.parts:
            places = part.segment.places(keys)
            found = places >= 0
            total[found] += part.document_frequencies[places[found]]
        return total

    def scores(self, tokens: Sequence[str], least_idf: float = -math.inf) -> NDArray[np.float64]:
        """Return the Okapi score of every row, 0 for removed ones.

        Robertson and Zaragoza: The Probabilistic Relevance Framework: BM25 and Beyond, 2009; what is put in the place
        of negative IDF values is that of `rank_bm25`. No IDF is taken below `least_idf`.
        """
        sums = np.zeros(self.offsets[-1])
        counts = Counter(tokens)
        keys = keys_of(counts)
        words = zip(*(part.segment.places(keys).tolist() for part in self.parts), strict=True)
        frequencies = self.document_frequencies(keys).tolist()
        for places, times, frequency in zip(words, counts.values(), frequencies, strict=False):
            if frequency:
                weight = times * max(self._idf(frequency), least_idf) * (K1 + 1)
                self._saturation.add(sums, places, weight, frequency)
        for part, start in zip(self.parts, self.offsets, strict=False):
            if part.chunks < len(part.segment):
                sums[start : start + len(part.segment)] *= part.alive
        return sums

    @cached_property
    def _saturation(self) -> Saturation:
        return Saturation(self.parts)

    def _idf(self, frequency: int) -> float:
        idf = math.log(self.chunks - frequency + 0.5) - math.log(frequency + 0.5)
        return idf if idf >= 0 else EPSILON * self._average_idf

    @cached_property
    def _average_idf(self) -> float:
        frequencies = np.fromiter(self.terms_by_frequency.keys(), np.float64)
        terms = np.fromiter(self.terms_by_frequency.values(), np.float64)
        idf = np.log(self.chunks - frequencies + 0.5) - np.log(frequencies + 0.5)
        return float(idf @ terms / terms.sum())

    def chunk_ids(self) -> Iterator[tuple[int, str]]:
        """Yield (row, id) of every chunk that is left."""
        for part, start in zip(self.parts, self.offsets, strict=False):
            for row in np.flatnonzero(part.alive).tolist():
                yield start + row, part.segment.chunks.chunk_id(row)

    def chunk(self, row: int) -> Chunk:
        """Return the chunk in a row, without its text."""
        number = bisect_right(self.offsets, row) - 1
        return self.parts[number].segment.chunks.chunk(row - self.offsets[number])


def _moved(terms_by_frequency: Mapping[int, int], before: Array, after: Array) -> dict[int, int]:
    """Count terms anew that stood in `before` chunks and now stand in `after`."""
    counts = Counter(terms_by_frequency)
    counts.subtract(before.tolist())
    counts.update(after.tolist())
    return {frequency: terms for frequency, terms in counts.items() if frequency and terms}
