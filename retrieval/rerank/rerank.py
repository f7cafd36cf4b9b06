"""Rerank: what every reranker gives, which one the settings name, and what a search does when it fails."""

import logging
import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from preprocessing.errors import FolioError
from retrieval.embed.embedder import Embedder
from retrieval.hit import Hit, LegScore

if TYPE_CHECKING:
    from retrieval.settings import RetrievalSettings

_KINDS = {
    "token": "retrieval.rerank.token_interaction:TokenReranker.of",
    "local": "retrieval.rerank.cross_encoder:CrossEncoderReranker.of",
    "address": "retrieval.rerank.http:HttpReranker.of",
}
_REST_SECONDS = 60
"""How long a reranker that failed is left alone: a search must not wait each time for one that hangs."""
_log = logging.getLogger(__name__)


class Reranker(Protocol):
    """Puts hits in a better order; scores mean order only, on a scale of the model's own."""

    @property
    def model_id(self) -> str:
        """Name of the model."""

    def rerank(self, question: str, hits: Sequence[Hit]) -> list[Hit]:
        """Return all the hits as new ones, best first, with leg `rerank` filled in."""


@runtime_checkable
class _Warmable(Protocol):
    def warm(self) -> None: ...


def open_reranker(settings: "RetrievalSettings", embedder: Embedder | None = None) -> Reranker | None:
    """Return the reranker that the settings name, None for none; nothing is loaded or sent before the first question.

    With FOLIO_RERANK_URL the model is asked there; without it FOLIO_RERANK_MODEL is a cross-encoder's name or path, and
    without both it is token interaction, which shares the encoder of a bundled `embedder`. Raises FolioError for
    settings that contradict each other.
    """
    kind = _kind(settings)
    if kind is None:
        return None
    of: Callable[[RetrievalSettings, Embedder | None], Reranker] = resolve_name(_KINDS[kind])
    return of(settings, embedder)


def _kind(settings: "RetrievalSettings") -> str | None:
    model_named = settings.rerank_model or settings.rerank_url
    if settings.rerank in ("token", "none") and model_named:
        raise FolioError(
            f"FOLIO_RERANK={settings.rerank} does without a model, but FOLIO_RERANK_MODEL or FOLIO_RERANK_URL is set: "
            "leave those out, or set FOLIO_RERANK=cross-encoder"
        )
    if settings.rerank == "cross-encoder" and not model_named:
        raise FolioError(
            "FOLIO_RERANK=cross-encoder needs FOLIO_RERANK_MODEL, the name or path of a cross-encoder, such as "
            "BAAI/bge-reranker-v2-m3"
        )
    if settings.rerank_url:
        return "address"
    for name in ("rerank_api_key", "rerank_form", "rerank_max_tokens"):
        if getattr(settings, name) is not None:
            raise FolioError(
                f"FOLIO_{name.upper()} is set but FOLIO_RERANK_URL is not; set it to the address of the reranker, "
                "such as https://api.siliconflow.cn/v1/rerank"
            )
    if settings.rerank_model:
        return "local"
    return None if settings.rerank == "none" else "token"


class OrFusedOrder:
    """A reranker whose failure leaves the order as it was and is said once. Safe for threads."""

    def __init__(self, reranker: Reranker, clock: Callable[[], float] = time.monotonic) -> None:
        """Wrap the reranker."""
        self._reranker = reranker
        self._clock = clock
        self._rests_until = 0.0
        self._problem: str | None = None
        self._said: set[str] = set()
        self._lock = threading.Lock()

    @property
    def model_id(self) -> str:
        """Name of the model."""
        return self._reranker.model_id

    def warm(self) -> None:
        """Load what the first question needs, where it is on this machine and comes with Folio."""
        if isinstance(self._reranker, _Warmable):
            self._reranker.warm()

    @property
    def inner(self) -> Reranker:
        """The reranker itself."""
        return self._reranker

    @property
    def problem(self) -> str | None:
        """Why the last question was not reranked; None when it was."""
        return self._problem

    def rerank(self, question: str, hits: Sequence[Hit]) -> list[Hit]:
        """Return all the hits, reranked where the reranker works and in their old order where it does not."""
        if self._problem and self._clock() < self._rests_until:
            return list(hits)
        try:
            found = self._reranker.rerank(question, hits)
        except FolioError as error:
            self._failed(str(error))
            return list(hits)
        self._problem = None
        return found

    def _failed(self, problem: str) -> None:
        with self._lock:
            self._problem = problem
            self._rests_until = self._clock() + _REST_SECONDS
            if problem in self._said:
                return
            self._said.add(problem)
        _log.warning("%s; until it works, results stay in the order of the search", problem)


def by_best_window(hits: Sequence[Hit], places: Sequence[int], scores: Sequence[float], model_id: str) -> list[Hit]:
    """Return new hits by falling score; `scores[i]` is that of one window of the hit at `places[i]`.

    A long chunk is as good as the best of its windows, equal scores keep their old order, and without any number all
    do. A hit without a score goes to the end and takes the lowest score there is: the number must be one that JSON can
    hold and must not rank it higher.
    """
    best: dict[int, float] = {}
    for place, score in zip(places, scores, strict=True):
        if math.isfinite(score):
            best[place] = max(score, best.get(place, score))
    if unusable := len(set(places)) - len(best):
        _log.warning("reranker %s gave no number for %d of %d passages", model_id, unusable, len(set(places)))
    if not best:
        return list(hits)
    lowest = min(best.values())
    order = sorted(range(len(hits)), key=lambda place: (place not in best, -best.get(place, lowest)))
    return in_order(hits, order, {place: best.get(place, lowest) for place in order})


def in_order(hits: Sequence[Hit], order: Sequence[int], scores: Mapping[int, float]) -> list[Hit]:
    """Return new hits in this order of their places, each with its score as that of leg `rerank`."""
    return [
        replace(
            hits[place],
            score=scores[place],
            legs={**hits[place].legs, "rerank": LegScore(rank, scores[place])},
        )
        for rank, place in enumerate(order, start=1)
    ]
