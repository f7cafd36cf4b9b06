"""Rerank: a model reads the question beside each candidate and puts the best answers first."""

import logging
import math
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from retrieval.cross_encoder import Pair, PairScorer, load_cross_encoder
from retrieval.hit import Hit, LegScore
from retrieval.local_model import ModelError

_log = logging.getLogger(__name__)
_BATCH = 16


class Reranker(Protocol):
    """Puts hits in a better order; scores mean order only, on a scale of the model's own."""

    @property
    def model_id(self) -> str:
        """Name of the model."""

    def rerank(self, question: str, hits: Sequence[Hit]) -> list[Hit]:
        """Return all the hits as new ones, best first, with leg `rerank` filled in."""


class CrossEncoderReranker:
    """Reranks with a cross-encoder by name or path; threads take turns."""

    def __init__(self, name_or_path: str, scorer: PairScorer | None = None) -> None:
        """Prepare; the model is loaded at the first question unless `scorer` is given."""
        self._name = name_or_path
        self._scorer = scorer
        # Fast tokenizers keep their padding in themselves and refuse two threads at once.
        self._lock = threading.Lock()

    @property
    def model_id(self) -> str:
        """Name of the model."""
        return self._name

    def rerank(self, question: str, hits: Sequence[Hit]) -> list[Hit]:
        """Score every hit that has text, and return all of them best first.

        A hit without a usable score (no text, NaN) goes to the end in its old order. The old order stays when
        the model gives none or memory does not suffice for a single pair; a warning says so.
        Raises ModelError when the model cannot be loaded or does not score every pair.
        """
        readable = [place for place, hit in enumerate(hits) if hit.chunk.text.strip()]
        if not readable:
            return list(hits)
        with self._lock:
            if self._scorer is None:
                self._scorer = load_cross_encoder(self._name)
            fitted = [(place, pair) for place in readable for pair in self._fit(question, hits[place])]
            scores = _in_batches([pair for _, pair in fitted], self._scorer, self._name)
        if scores is None:
            return list(hits)
        return by_best_window(hits, [place for place, _ in fitted], scores, self._name)

    def _fit(self, question: str, hit: Hit) -> list[Pair]:
        assert self._scorer is not None
        return self._scorer.fit(question, hit.chunk.search_text)


def by_best_window(hits: Sequence[Hit], places: Sequence[int], scores: Sequence[float], model_id: str) -> list[Hit]:
    """Return new hits by falling score; `scores[i]` is that of one window of the hit at `places[i]`.

    A long chunk is as good as the best of its windows. Without any number the old order stays.
    """
    best: dict[int, float] = {}
    for place, score in zip(places, scores, strict=True):
        if math.isfinite(score):
            best[place] = max(score, best.get(place, score))
    if unusable := len(set(places)) - len(best):
        _log.warning("reranker %s gave no number for %d of %d passages", model_id, unusable, len(set(places)))
    return reordered(hits, best) if best else list(hits)


def reordered(hits: Sequence[Hit], scores: dict[int, float]) -> list[Hit]:
    """Return new hits by falling score, place in `hits` → score; equal scores keep their old order.

    A hit without a score goes to the end and takes the lowest score there is: the number must be one that
    JSON can hold and must not rank it higher.
    """
    lowest = min(scores.values())
    order = sorted(range(len(hits)), key=lambda place: (place not in scores, -scores.get(place, lowest)))
    return [
        replace(
            hits[place],
            score=scores.get(place, lowest),
            legs={**hits[place].legs, "rerank": LegScore(rank, scores.get(place, lowest))},
        )
        for rank, place in enumerate(order, start=1)
    ]


def _in_batches(pairs: Sequence[Pair], scorer: PairScorer, name: str) -> list[float] | None:
    # Pairs of like length share a batch: the shorter ones are padded to the longest.
    order = sorted(range(len(pairs)), key=lambda place: len(pairs[place][1]), reverse=True)
    scores = [math.nan] * len(pairs)
    size, start = _BATCH, 0
    while start < len(order):
        batch = order[start : start + size]
        try:
            found = scorer.score([pairs[place] for place in batch])
        except (MemoryError, RuntimeError) as error:
            if not _out_of_memory(error):
                raise
            scorer.free_memory()
            if size == 1:
                _log.warning("reranker %s has not enough memory for one passage: the order stays as it was", name)
                return None
            size = max(min(size, len(batch)) // 2, 1)
            continue
        if len(found) != len(batch):
            raise ModelError(f"reranker {name} gave {len(found)} scores for {len(batch)} passages; it cannot be used")
        for place, score in zip(batch, found, strict=True):
            scores[place] = score
        start += len(batch)
    return scores


def _out_of_memory(error: Exception) -> bool:
    # torch has a type for graphics cards alone; Apple's and the CPU's fault are told by their words.
    words = str(error).lower()
    return isinstance(error, MemoryError) or "out of memory" in words or "can't allocate memory" in words
