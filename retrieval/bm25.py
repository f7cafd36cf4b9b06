"""The keyword leg: BM25 from an inverted index that is kept in step with the store."""

import json
import math
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from preprocessing.document import Chunk
from retrieval.filters import Filter
from retrieval.store.payload import from_payload, to_payload
from retrieval.tokens import TOKENIZER_ID, query_tokens, tokenize

K1, B, EPSILON = 1.5, 0.75, 0.25
MIN_IDF = 1e-6
"""Okapi's IDF is zero or less for a word in half of the texts or more; a match must still count for something."""


_FIRST = 500
"""Rows that are sorted at once; more are sorted only when a filter leaves too few of these."""


class StaleIndexError(Exception):
    """A saved index cannot be used and has to be built anew from the store."""


class BM25:
    """Okapi BM25 with the scores of `rank_bm25.BM25Okapi` on the same tokens.

    Robertson and Zaragoza: The Probabilistic Relevance Framework: BM25 and Beyond, 2009; the floor of negative
    IDF values is that of `rank_bm25`. Adding and removing cost in proportion to what is added or removed.
    Safe to call from several threads.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._rows: dict[int, Chunk] = {}
        self._rows_of_revision: dict[str, list[int]] = {}
        self._terms_of_row: dict[int, Counter[str]] = {}
        self._postings: dict[str, dict[int, int]] = {}
        self._columns: dict[str, tuple[NDArray[np.int64], NDArray[np.float64]]] = {}
        self._document_frequencies: Counter[int] = Counter()
        self._lengths = np.zeros(0)
        self._total_length = 0
        self._next_row = 0

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, chunks: Sequence[Chunk]) -> None:
        """Index the search text of the chunks."""
        tokens = [Counter(tokenize(chunk.search_text)) for chunk in chunks]
        with self._lock:
            for chunk, counts in zip(chunks, tokens, strict=True):
                self._add_row(replace(chunk, text=""), counts)

    def remove_revision(self, revision: str) -> None:
        """Forget every chunk of one document state."""
        with self._lock:
            for row in self._rows_of_revision.pop(revision, []):
                self._remove_row(row)

    def search(self, question: str, k: int, where: Filter) -> list[tuple[str, float]]:
        """Return (chunk id, score) of the k best allowed chunks that share a token with the question."""
        with self._lock:
            sums = self._scores(query_tokens(question), floor=True)
            # With the floor, a chunk scores above zero exactly when it shares a token.
            best: list[tuple[str, float]] = []
            for row, score in _descending(sums):
                if len(best) >= k and score < best[-1][1]:
                    break
                if where.allows(self._rows[row]):
                    best.append((self._rows[row].chunk_id, score))
            # Equal scores are taken in the order of the ids, so that a run repeats.
            return sorted(best, key=lambda hit: (-hit[1], hit[0]))[:k]

    def scores(self, tokens: Sequence[str]) -> dict[str, float]:
        """Return the Okapi score of every chunk for the tokens, by chunk id."""
        with self._lock:
            sums = self._scores(tokens, floor=False)
            return {chunk.chunk_id: float(sums[row]) for row, chunk in self._rows.items()}

    def _scores(self, tokens: Sequence[str], *, floor: bool) -> NDArray[np.float64]:
        sums = np.zeros(self._next_row)
        if not self._rows:
            return sums
        average_length = self._total_length / len(self._rows)
        average_idf = self._average_idf()
        for token in tokens:
            rows, frequencies = self._column(token)
            if not len(rows):
                continue
            idf = self._idf(len(rows))
            if idf < 0:
                idf = EPSILON * average_idf
            if floor:
                idf = max(idf, MIN_IDF)
            norm = K1 * (1 - B + B * self._lengths[rows] / average_length)
            sums[rows] += idf * frequencies * (K1 + 1) / (frequencies + norm)
        return sums

    def _idf(self, document_frequency: int) -> float:
        return math.log(len(self._rows) - document_frequency + 0.5) - math.log(document_frequency + 0.5)

    def _average_idf(self) -> float:
        terms = self._document_frequencies.total()
        return sum(count * self._idf(df) for df, count in self._document_frequencies.items()) / terms if terms else 0.0

    def _column(self, term: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        column = self._columns.get(term)
        if column is None:
            postings = self._postings.get(term, {})
            column = (
                np.fromiter(postings.keys(), np.int64, len(postings)),
                np.fromiter(postings.values(), np.float64, len(postings)),
            )
            if postings:
                self._columns[term] = column
        return column

    def _add_row(self, chunk: Chunk, counts: Counter[str]) -> None:
        row = self._next_row
        self._next_row += 1
        if row >= len(self._lengths):
            self._lengths = np.concatenate([self._lengths, np.zeros(max(1024, len(self._lengths)))])
        self._rows[row] = chunk
        self._rows_of_revision.setdefault(chunk.revision, []).append(row)
        self._terms_of_row[row] = counts
        self._lengths[row] = counts.total()
        self._total_length += counts.total()
        for term, frequency in counts.items():
            postings = self._postings.setdefault(term, {})
            self._count_documents(len(postings), len(postings) + 1)
            postings[row] = frequency
            self._columns.pop(term, None)

    def _remove_row(self, row: int) -> None:
        del self._rows[row]
        counts = self._terms_of_row.pop(row)
        self._total_length -= counts.total()
        for term in counts:
            postings = self._postings[term]
            self._count_documents(len(postings), len(postings) - 1)
            del postings[row]
            self._columns.pop(term, None)
            if not postings:
                del self._postings[term]

    def _count_documents(self, before: int, after: int) -> None:
        if before:
            self._document_frequencies[before] -= 1
            if not self._document_frequencies[before]:
                del self._document_frequencies[before]
        if after:
            self._document_frequencies[after] += 1

    def save(self, path: Path, generation: int) -> None:
        """Write the index with the generation of the store it belongs to; the file is replaced in one step."""
        with self._lock:
            vocabulary = {term: number for number, term in enumerate(self._postings)}
            counts = list(self._terms_of_row.values())
            header = {
                "generation": generation,
                "tokenizer": TOKENIZER_ID,
                "terms": list(vocabulary),
                "chunks": [to_payload(chunk) for chunk in self._rows.values()],
            }
            partial = path.with_suffix(".partial")
            with partial.open("wb") as file:
                np.savez(
                    file,
                    header=np.frombuffer(json.dumps(header, ensure_ascii=False).encode(), np.uint8),
                    sizes=np.array([len(row) for row in counts], np.int32),
                    terms=np.array([vocabulary[term] for row in counts for term in row], np.int32),
                    frequencies=np.array([frequency for row in counts for frequency in row.values()], np.int32),
                )
            partial.replace(path)

    @classmethod
    def load(cls, path: Path, generation: int) -> "BM25":
        """Read the index of that generation: it is a cache and never trusted against the store.

        Raises StaleIndexError when the file is missing, damaged, or belongs to another state of the store.
        """
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
                header = json.loads(arrays["header"].tobytes())
                sizes, terms, frequencies = arrays["sizes"], arrays["terms"], arrays["frequencies"]
            if header["generation"] != generation or header["tokenizer"] != TOKENIZER_ID:
                raise StaleIndexError(f"{path} belongs to another state of the store")
            index = cls()
            names, ends = header["terms"], np.cumsum(sizes).tolist()
            for payload, start, end in zip(header["chunks"], [0, *ends], ends, strict=False):
                row = zip((names[term] for term in terms[start:end]), frequencies[start:end].tolist(), strict=True)
                index._add_row(from_payload(payload), Counter(dict(row)))
            return index
        except FileNotFoundError as error:
            raise StaleIndexError(f"{path} is not there") from error
        except (OSError, ValueError, KeyError, IndexError, TypeError, EOFError, BadZipFile) as error:
            raise StaleIndexError(f"{path} is damaged ({error})") from error

    @classmethod
    def build(cls, chunks: Iterable[Chunk]) -> "BM25":
        """Index all chunks anew."""
        index = cls()
        index.add(list(chunks))
        return index


def _descending(scores: NDArray[np.float64]) -> Iterator[tuple[int, float]]:
    """Yield (row, score) of the rows above zero, best first; the few that are mostly wanted without sorting all."""
    rows = np.flatnonzero(scores > 0)
    if len(rows) > 2 * _FIRST:
        cut = np.partition(scores[rows], len(rows) - _FIRST)[len(rows) - _FIRST]
        first, rest = rows[scores[rows] >= cut], rows[scores[rows] < cut]
    else:
        first, rest = rows, rows[:0]
    for part in (first, rest):
        for row in part[np.argsort(-scores[part], kind="stable")]:
            yield int(row), float(scores[row])
