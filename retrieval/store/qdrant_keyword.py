"""The keyword leg on a Qdrant server: a sparse vector of BM25 weights in the point of each chunk."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from preprocessing.document import Chunk
from retrieval.filters import Filter
from retrieval.tokens import keywords, tokenize

if TYPE_CHECKING:
    from retrieval.store.qdrant import QdrantStore

K1, B = 1.5, 0.75
AVERAGE_LENGTH = 256
"""Tokens of a middling chunk, for a collection that begins empty; see `QdrantStore.open`."""

Weights = dict[int, float]
"""Index of a token → weight."""


def token_index(token: str) -> int:
    """Return the dimension that stands for a token, 0 to 2**32 - 1, the same in every process and for ever.

    Two tokens on one dimension count as one word: among 100,000 different tokens about one pair is.
    """
    return int.from_bytes(hashlib.blake2b(token.encode(), digest_size=4).digest())


def passage_weights(chunk: Chunk, average_length: float) -> Weights:
    """Return what each token of the chunk weighs; times the IDF, which the server knows, that is its BM25 score.

    `f (k1 + 1) / (f + k1 (1 - b + b length / average))`. Robertson and Zaragoza: The Probabilistic Relevance
    Framework: BM25 and Beyond, 2009.
    """
    counts = _counts(tokenize(chunk.search_text))
    norm = K1 * (1 - B + B * counts.total() / average_length)
    weights = {index: frequency * (K1 + 1) / (frequency + norm) for index, frequency in counts.items()}
    # A chunk without a single token is found by no question, but the leg holds it like every other.
    return weights or {token_index(""): 1.0}


def question_weights(question: str) -> Weights:
    """Return how often each token stands in the question."""
    return {index: float(count) for index, count in _counts(keywords(question)).items()}


def _counts(tokens: Iterable[str]) -> Counter[int]:
    return Counter(map(token_index, tokens))


class QdrantKeyword:
    """The keyword leg of a store on a server; every process that uses the server sees the same one.

    The weights are written and removed with the points, in the same request, so there is nothing to keep in step.
    """

    def __init__(self, store: "QdrantStore") -> None:
        """Search the points of this store."""
        self._store = store

    def __len__(self) -> int:
        return self._store.count_keyword()

    def add(self, chunks: Sequence[Chunk]) -> None:
        """Do nothing: the store has written the weights with the chunks."""

    def remove_revision(self, revision: str) -> None:
        """Do nothing: the weights went with the chunks."""

    def search(self, question: str, k: int, where: Filter) -> list[tuple[str, float]]:
        """Return (chunk id, score) of the k best allowed chunks that share a token with the question, best first."""
        weights = question_weights(question)
        found = self._store.search_keyword(weights, k, where) if weights and k > 0 else []
        # Equal scores are taken in the order of the ids, as in the other keyword leg.
        return sorted(found, key=lambda hit: (-hit[1], hit[0]))

    def save(self, path: Path, generation: int) -> None:
        """Do nothing: the server keeps it."""
