"""What a word gives to each chunk that it stands in, before it is weighed: the same for every question."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from retrieval.inverted_index.part import Part

K1, B = 1.5, 0.75
COMMON = 8
"""A word that stands in one row of so many is common: with zeros for the others, adding it is several times as fast."""
KEPT_BYTES = 64 * 2**20
"""Memory for common words, with a number for each row."""


class Saturation:
    """`f / (f + k1 (1 - b + b length / average length))` for a word that stands f times in a chunk, below 1.

    A word is given by its place among the terms of each part, -1 where it is not.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        """Take the parts of an index that has tokens."""
        self._segments = [part.segment for part in parts]
        lengths = np.concatenate([segment.lengths for segment in self._segments])
        average = sum(part.tokens for part in parts) / sum(part.chunks for part in parts)
        self._norms = np.asarray(K1 * (1 - B + B * lengths / average))
        self._common: dict[tuple[int, ...], NDArray[np.float64]] = {}

    def add(self, sums: NDArray[np.float64], places: Sequence[int], weight: float, frequency: int) -> None:
        """Add the saturation of a word, times its weight, to the sums of the rows; it stands in so many of them."""
        if frequency * COMMON >= len(sums):
            sums += weight * self._by_row(tuple(places))
        else:
            for rows, saturation in self._postings(places):
                np.add.at(sums, rows, weight * saturation)

    def _by_row(self, places: tuple[int, ...]) -> NDArray[np.float64]:
        known = self._common.get(places)
        if known is None:
            known = np.zeros(len(self._norms))
            for rows, saturation in self._postings(places):
                known[rows] = saturation
            if len(self._common) * known.nbytes < KEPT_BYTES:
                self._common[places] = known
        return known

    def _postings(self, places: Sequence[int]) -> Iterator[tuple[NDArray[np.intp], NDArray[np.float64]]]:
        start = 0
        for segment, place in zip(self._segments, places, strict=True):
            if place >= 0:
                # Indexing with the integers of the machine is twice as fast.
                rows = segment.postings[place].astype(np.intp) + start
                frequencies = segment.frequencies[place]
                yield rows, frequencies / (frequencies + self._norms.take(rows))
            start += len(segment)
