"""Rerank with a model behind a `/rerank` address."""

import logging
import math
from collections.abc import Sequence
from typing import Any

from retrieval.batches import Batches
from retrieval.endpoint import BRISK, ModelEndpoint
from retrieval.endpoint_errors import EndpointError, RequestRefused
from retrieval.hit import Hit
from retrieval.rerank import by_best_window
from retrieval.rerank_forms import RerankForm
from retrieval.windows import estimated_beginning, estimated_tokens, estimated_windows

_log = logging.getLogger(__name__)
_OVERLAP = 32
"""Tokens that neighbouring windows share, so that a sentence cut by one is whole in the other."""
_SPARE = 8
"""Tokens that part question and passage."""
_SHORTEST = 128
"""Tokens of question and passage whose refusal has another reason than their length."""


class HttpReranker:
    """Reranks over HTTP; safe for threads."""

    def __init__(
        self, form: RerankForm, endpoint: ModelEndpoint, model: str | None = None, most_tokens: int | None = None
    ) -> None:
        """Prepare; nothing is sent before the first question.

        `most_tokens` is how long a question and a passage together may be, where it is not what the form says.
        """
        self._form, self._endpoint, self._model = form, endpoint, model
        self._most_tokens = most_tokens or form.most_tokens
        self._batches = Batches(form.most_passages)

    @property
    def model_id(self) -> str:
        """Name of the model, or the host of one that has no name."""
        return self._model or self._endpoint.address.host

    def rerank(self, question: str, hits: Sequence[Hit]) -> list[Hit]:
        """Score every hit that has text, and return all of them best first.

        A hit without a usable score (no text, left out of the answer, NaN) goes to the end in its old order; a
        warning says so. Raises EndpointError when the model cannot be asked, numbers its results wrongly, or gives
        no score at all.
        """
        readable = [place for place, hit in enumerate(hits) if hit.chunk.text.strip()]
        if not readable:
            return list(hits)
        while True:
            try:
                return self._by_windows(question, hits, readable)
            except RequestRefused as refused:
                self._shorten(refused)

    def _by_windows(self, question: str, hits: Sequence[Hit], readable: Sequence[int]) -> list[Hit]:
        kept, size = self._room(question)
        fitted = [
            (place, window)
            for place in readable
            for window in estimated_windows(hits[place].chunk.search_text, size, min(_OVERLAP, size // 4))
        ]
        scores = self._batches.send([text for _, text in fitted], lambda batch: self._request(kept, batch))
        if not any(math.isfinite(score) for score in scores):
            raise EndpointError(f"{self._endpoint.address.named} gave no number for any of {len(readable)} passages")
        return by_best_window(hits, [place for place, _ in fitted], scores, self.model_id)

    def _room(self, question: str) -> tuple[str, int]:
        """Return what is kept of the question, and the tokens that are left for a passage."""
        room = self._most_tokens - _SPARE
        kept = estimated_beginning(question, max(room // 2, 1))
        if kept != question:
            _log.warning("the question is too long for the reranker: it ranks by the first %d characters", len(kept))
        return kept, max(room - estimated_tokens(kept), 1)

    def _request(self, question: str, passages: Sequence[str]) -> list[float]:
        """Return a score a passage; NaN for one that has none."""
        asked = self._endpoint.address
        answer = self._endpoint.post(self._form.body(self._model, question, passages), BRISK)
        scores = [math.nan] * len(passages)
        seen: set[int] = set()
        try:
            for result in self._form.results(answer):
                place = result["index"]
                if place in seen or place not in range(len(passages)):
                    raise EndpointError(
                        f"{asked.named} numbered its results wrongly: {place!r} comes twice or is none of the "
                        f"{len(passages)} passages sent"
                    )
                seen.add(place)
                scores[place] = _number(result[self._form.score])
        except (LookupError, TypeError) as error:
            raise EndpointError(
                f"{asked.named} sent no scores in the form {self._form.name!r} ({type(error).__name__}: {error}); "
                "check FOLIO_RERANK_URL and FOLIO_RERANK_FORM"
            ) from error
        return scores

    def _shorten(self, refused: RequestRefused) -> None:
        """Read shorter windows from now on; raise what was refused where its length is not the reason."""
        if not refused.about_length or self._most_tokens <= _SHORTEST:
            raise refused
        self._most_tokens = max(self._most_tokens // 2, _SHORTEST)
        _log.warning("%s; passages are read in windows of %d tokens", refused, self._most_tokens)


def _number(score: Any) -> float:
    return float(score) if isinstance(score, int | float) else math.nan
