"""A part of the index that never changes: postings by term, terms by row, and the chunks."""

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from preprocessing.document import Chunk
from retrieval.inverted_index.chunk_table import ChunkTable
from retrieval.inverted_index.keys import keys_of
from retrieval.inverted_index.ragged import Array, Ragged


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Segment:
    """Rows are chunks, terms are places in `keys`. Arrays may lie in memory or in a mapped file."""

    keys: NDArray[np.uint64]
    """Key of each term, rising."""
    postings: Ragged
    """Rows of each term, rising."""
    frequencies: Ragged
    """How often the term stands in each of them."""
    terms: Ragged
    """Terms of each row: what removing or merging rows needs."""
    term_frequencies: Array
    """How often each of `terms` stands in its row."""
    lengths: NDArray[np.int32]
    """Tokens of each row."""
    chunks: ChunkTable

    @classmethod
    def of(cls, chunks: Iterable[Chunk], tokenize: Callable[[str], Sequence[str]]) -> Self:
        """Index the search text of the chunks."""
        # A word that is looked up for the first time gets the next number.
        numbers: defaultdict[str, int] = defaultdict()
        numbers.default_factory = numbers.__len__
        terms, frequencies, sizes = array("i"), array("i"), array("i")
        kept = []
        for chunk in chunks:
            counts = Counter(tokenize(chunk.search_text))
            terms.extend(map(numbers.__getitem__, counts))
            frequencies.extend(counts.values())
            sizes.append(len(counts))
            kept.append(chunk)
        keys = keys_of(numbers)
        order = np.argsort(keys)
        place = np.empty(len(order), np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        return cls.of_rows(
            keys[order],
            Ragged.of(place[np.frombuffer(terms, np.int32)], np.frombuffer(sizes, np.int32)),
            np.frombuffer(frequencies, np.int32),
            ChunkTable.of(kept),
        )

    @classmethod
    def of_rows(cls, keys: NDArray[np.uint64], terms: Ragged, frequencies: Array, chunks: ChunkTable) -> Self:
        """Invert rows of terms with their frequencies."""
        frequencies = frequencies.astype(np.min_scalar_type(int(frequencies.max(initial=1))), copy=False)
        # Sorting term and place as one number is several times as fast as a stable sort by term.
        order = np.sort((terms.values.astype(np.int64) << 32) | np.arange(len(terms.values))) & 0xFFFFFFFF
        rows = np.repeat(np.arange(len(terms), dtype=np.int32), terms.sizes())[order]
        postings = Ragged.of(rows, np.bincount(terms.values, minlength=len(keys)))
        totals = np.concatenate([[0], np.cumsum(frequencies, dtype=np.int64)])
        return cls(
            keys=keys,
            postings=postings,
            frequencies=Ragged(frequencies[order], postings.starts),
            terms=terms,
            term_frequencies=frequencies,
            lengths=np.diff(totals[terms.starts]).astype(np.int32),
            chunks=chunks,
        )

    def __len__(self) -> int:
        return len(self.lengths)

    def places(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the place of each key among the terms, -1 where it is not."""
        if not len(self.keys):
            return np.full(len(keys), -1)
        places = np.searchsorted(self.keys, keys)
        places[places == len(self.keys)] = 0
        return np.where(self.keys[places] == keys, places, -1)


def merged(segments: Sequence[Segment], kept: Sequence[Array]) -> Segment:
    """Return one segment of the rows that are kept of each."""
    all_keys = np.unique(np.concatenate([segment.keys for segment in segments]))
    terms, frequencies = [], []
    for segment, rows in zip(segments, kept, strict=True):
        taken = segment.terms.take(rows)
        terms.append(Ragged(np.searchsorted(all_keys, segment.keys)[taken.values], taken.starts))
        frequencies.append(Ragged(segment.term_frequencies, segment.terms.starts).take(rows).values)
    joined = Ragged.join(terms)
    # A word of removed rows alone is forgotten with them.
    used = np.bincount(joined.values, minlength=len(all_keys)) > 0
    place = (np.cumsum(used) - 1).astype(np.int32)
    return Segment.of_rows(
        all_keys[used],
        Ragged(place[joined.values], joined.starts),
        np.concatenate(frequencies),
        ChunkTable.join([segment.chunks.take(rows) for segment, rows in zip(segments, kept, strict=True)]),
    )
