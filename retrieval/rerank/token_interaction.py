"""Rerank by token interaction: each token of the question looks for the token of the passage that is most like it.

Khattab and Zaharia: ColBERT: Efficient and Effective Passage Search via Contextualized Late Interaction over BERT,
SIGIR 2020; here with the bundled encoder, which was not trained for it. Four things make up for that: what all states
have in common is taken out, a learnt projection says which differences count, rare tokens weigh more, and codes must
be the same to the letter.
"""

import hashlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from cachetools import LRUCache
from numpy.typing import NDArray

from preprocessing.merge import UNRELATED_EN, UNRELATED_ZH
from retrieval.embed.bundled import BundledEmbedder
from retrieval.embed.embedder import CachingEmbedder, Embedder
from retrieval.hit import Hit
from retrieval.models.artefacts import FOLDER, PROJECTION, checked
from retrieval.models.encoder import TokenIds
from retrieval.rerank.rerank import OrFusedOrder, Reranker, in_order
from retrieval.text.tokens import query_tokens, tokenize
from retrieval.text.writing import is_code

if TYPE_CHECKING:
    from retrieval.settings import RetrievalSettings

Floats = NDArray[np.float32]

_COMMON_SHARE = 0.5
"""How much of the mean state is taken out of each; all of it would take meaning with it."""
_COMMON_NATS = 4.0
"""Information of a token, -ln p, up to which it says nothing: marks, particles and the most frequent endings."""
_OLD_ORDER = 0.3
"""Weight of the old order beside that of the scores, in reciprocal ranks with k = `_RRF_K`."""
_RRF_K = 10
_WINDOW, _STEP = 256, 128
"""Tokens of a passage that are matched together: a long one would collect its matches from everywhere."""
_CACHED_TOKENS = 60_000
"""States kept, 768 bytes each: those of some 300 passages."""


class TokenEncoder(Protocol):
    """What gives a state for each token, and says how much each token tells."""

    def token_states(self, texts: Sequence[str], *, query: bool) -> list[tuple[TokenIds, Floats]]:
        """Return for each text its token ids, int64 (tokens,), and their states, float32 (tokens, dimension)."""

    def information(self) -> Floats:
        """Return -ln p of every token of the vocabulary, float32."""


def learnt_projection() -> Floats:
    """Read the projection that comes with Folio; raises FolioError when its file is missing or damaged."""
    projection: Floats = np.load(checked(PROJECTION, FOLDER)).astype(np.float32)
    return projection


class TokenReranker:
    """Reranks with the encoder that comes with Folio, without any other model; safe for threads."""

    model_id = "token-interaction"

    def __init__(self, encoder: TokenEncoder, projection: Callable[[], Floats] | None = learnt_projection) -> None:
        """Prepare; the encoder and the projection, float32 (dimension, dimension), are loaded at the first question.

        Without a projection the encoder's own directions count.
        """
        self._encoder = encoder
        self._projection = projection
        self._lock = threading.Lock()
        self._known: _Statistics | None = None
        self._states: LRUCache[bytes, NDArray[np.float16]] = LRUCache(_CACHED_TOKENS, getsizeof=len)

    @classmethod
    def of(cls, _settings: "RetrievalSettings", embedder: Embedder | None) -> "TokenReranker":
        """Return one on the encoder of the embedder, or on one of its own where that has another model."""
        return cls(_bundled(embedder) or BundledEmbedder())

    def warm(self) -> None:
        """Load what the first question needs."""
        self._statistics()

    def rerank(self, question: str, hits: Sequence[Hit]) -> list[Hit]:
        """Return all the hits as new ones, best first.

        The score is the mean similarity of the question's tokens, -1 to 1.
        """
        if not hits:
            return []
        scores = self.scores(question, [hit.chunk.search_text for hit in hits])
        codes = _shared_codes(question, hits)
        order = sorted(_fused_with_old_order(scores), key=lambda place: -codes[place])
        return in_order(hits, order, dict(enumerate(scores.tolist())))

    def scores(self, question: str, texts: Sequence[str]) -> Floats:
        """Return for each text the weighted mean, -1 to 1, of each question token's best cosine in it."""
        asked, weights = self.asked(question)
        if not len(weights):
            return np.zeros(len(texts), dtype=np.float32)
        passages = (states.astype(np.float32) for states in self.looked_at(texts))
        return np.array([_best_window(asked @ states.T, weights) for states in passages], dtype=np.float32)

    def asked(self, question: str) -> tuple[Floats, Floats]:
        """Return what to look for, unit rows (tokens, dimension), and what each row weighs, together 1."""
        ids, states = self._encoder.token_states([question], query=True)[0]
        known = self._statistics()
        weights = np.maximum(known.information[ids] - _COMMON_NATS, 0.0)
        if not weights.any():
            weights = np.ones_like(weights)
        return known.distinct(states), weights / max(weights.sum(), 1e-9)

    def looked_at(self, texts: Sequence[str]) -> list[NDArray[np.float16]]:
        """Return for each text what it is matched by, unit rows, float16 (tokens, dimension); the latest are kept."""
        keys = [hashlib.sha256(text.encode("utf-8", "replace")).digest() for text in texts]
        with self._lock:
            known = {key: self._states[key] for key in keys if key in self._states}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        fresh = self._encoder.token_states(list(missing.values()), query=False)
        distinct = self._statistics().distinct
        new = {key: distinct(states).astype(np.float16) for key, (_, states) in zip(missing, fresh, strict=True)}
        with self._lock:
            self._states.update((key, states) for key, states in new.items() if len(states) <= _CACHED_TOKENS)
        known |= new
        return [known[key] for key in keys]

    def _statistics(self) -> "_Statistics":
        if self._known is None:
            found = self._encoder.token_states([*UNRELATED_ZH, *UNRELATED_EN], query=False)
            common = np.mean([_unit(states).mean(axis=0) for _, states in found], axis=0)
            projection = self._projection() if self._projection else None
            self._known = _Statistics(self._encoder.information(), common, projection)
        return self._known


def token_matcher(reranker: Reranker | None, embedder: Embedder) -> TokenReranker | None:
    """Return what matches texts token by token: the reranker if it does, else one on the bundled embedder, or none."""
    inner = reranker.inner if isinstance(reranker, OrFusedOrder) else reranker
    if isinstance(inner, TokenReranker):
        return inner
    encoder = _bundled(embedder)
    return TokenReranker(encoder) if encoder else None


def _bundled(embedder: Embedder | None) -> BundledEmbedder | None:
    inner = embedder.embedder if isinstance(embedder, CachingEmbedder) else embedder
    return inner if isinstance(inner, BundledEmbedder) else None


@dataclass(frozen=True, slots=True)
class _Statistics:
    """What is known of the encoder whatever the text."""

    information: Floats
    """Of each token."""
    common: Floats
    """The mean of all states over texts of every kind."""
    projection: Floats | None

    def distinct(self, states: Floats) -> Floats:
        """Return the states without what all have in common, seen as the projection sees them, at length one."""
        left = _unit(_unit(states) - _COMMON_SHARE * self.common)
        return left if self.projection is None else _unit(left @ self.projection)


def _best_window(cosines: Floats, weights: Floats) -> float:
    """Return the greatest sum, over windows of the passage, of each question token's best cosine times its weight."""
    tokens = cosines.shape[1]
    if not tokens:
        return 0.0
    starts = range(0, max(1, tokens - _WINDOW + _STEP), _STEP)
    best = (cosines[:, start : start + _WINDOW].max(axis=1) for start in starts)
    return max(float(weights @ one) for one in best)


def _unit(states: Floats) -> Floats:
    unit: Floats = states / np.maximum(np.linalg.norm(states, axis=1, keepdims=True), 1e-9)
    return unit


def _fused_with_old_order(scores: Floats) -> list[int]:
    """Return the places by falling sum of reciprocal ranks; their number is the old rank."""
    by_score = sorted(range(len(scores)), key=lambda place: -scores[place])
    rank = {place: number for number, place in enumerate(by_score, start=1)}
    return sorted(rank, key=lambda place: -(1 / (_RRF_K + rank[place]) + _OLD_ORDER / (_RRF_K + place + 1)))


def _shared_codes(question: str, hits: Sequence[Hit]) -> list[int]:
    """Return how many of the question's codes each passage holds, such as `ERR_4032` or 第46条."""
    codes = {token for token in query_tokens(question) if is_code(token)}
    return [len(codes.intersection(tokenize(hit.chunk.search_text))) if codes else 0 for hit in hits]
