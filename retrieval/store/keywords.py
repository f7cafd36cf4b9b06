"""The keyword leg: BM25 as a sparse vector in the point of each chunk; the engine of the store adds the IDF."""

import hashlib
from collections import Counter
from collections.abc import Iterable

from preprocessing.document import Chunk
from retrieval.text.tokens import keywords, tokenize

K1, B = 1.5, 0.75
AVERAGE_LENGTH = 256
"""Tokens of a middling chunk. Were it the true mean, each document would change the weights of all others."""

Weights = dict[int, float]
"""Index of a token → weight."""
Scored = list[tuple[str, float]]
"""(chunk id, score), best first."""


def token_index(token: str) -> int:
    """Return the dimension that stands for a token, 0 to 2**32 - 1, the same in every process and for ever.

    Two tokens on one dimension count as one word: among 100,000 different tokens about one pair is.
    """
    return int.from_bytes(hashlib.blake2b(token.encode(), digest_size=4).digest())


def passage_weights(chunk: Chunk, average_length: float = AVERAGE_LENGTH) -> Weights:
    """Return what each token of the chunk weighs; times the IDF, which the engine knows, that is its BM25 score.

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


def best_first(scored: Iterable[tuple[str, float]]) -> Scored:
    """Return what shares a token with the question; equal scores are taken in the order of the ids."""
    return sorted((hit for hit in scored if hit[1] > 0), key=lambda hit: (-hit[1], hit[0]))


def _counts(tokens: Iterable[str]) -> Counter[int]:
    return Counter(map(token_index, tokens))
