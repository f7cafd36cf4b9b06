"""Which reranker the settings name, and what a search does when it fails."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from preprocessing.errors import FolioError
from retrieval.embed.base import Embedder
from retrieval.embed.bundled import BundledEmbedder
from retrieval.embed.query_cache import QueryCache
from retrieval.hit import Hit
from retrieval.rerank import CrossEncoderReranker, Reranker
from retrieval.token_interaction import TokenReranker

if TYPE_CHECKING:
    from retrieval.settings import RetrievalSettings

_log = logging.getLogger(__name__)
_TIMEOUT_SECONDS = 30
_REST_SECONDS = 60
"""How long a reranker that failed is left alone: a search must not wait each time for one that hangs."""


def open_reranker(settings: "RetrievalSettings", embedder: Embedder | None = None) -> Reranker | None:
    """Return the reranker that the settings name, None for none; nothing is loaded or sent before the first question.

    With FOLIO_RERANK_URL the model is asked there; without it FOLIO_RERANK_MODEL is a cross-encoder's name or path, and
    without both it is token interaction, which shares the encoder of a bundled `embedder`. Raises FolioError for
    settings that contradict each other.
    """
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
        return _by_address(settings)
    for name in ("rerank_api_key", "rerank_form", "rerank_max_tokens"):
        if getattr(settings, name) is not None:
            raise FolioError(
                f"FOLIO_{name.upper()} is set but FOLIO_RERANK_URL is not; set it to the address of the reranker, "
                "such as https://api.siliconflow.cn/v1/rerank"
            )
    if settings.rerank_model:
        return CrossEncoderReranker(settings.rerank_model)
    return None if settings.rerank == "none" else TokenReranker(_token_encoder(embedder))


def token_matcher(reranker: Reranker | None, embedder: Embedder) -> TokenReranker | None:
    """Return what matches texts token by token: the reranker if it does, else one on the bundled embedder, or none."""
    inner = reranker.inner if isinstance(reranker, OrFusedOrder) else reranker
    if isinstance(inner, TokenReranker):
        return inner
    encoder = _bundled(embedder)
    return TokenReranker(encoder) if encoder else None


def _token_encoder(embedder: Embedder | None) -> BundledEmbedder:
    return _bundled(embedder) or BundledEmbedder()


def _bundled(embedder: Embedder | None) -> BundledEmbedder | None:
    inner = embedder.embedder if isinstance(embedder, QueryCache) else embedder
    return inner if isinstance(inner, BundledEmbedder) else None


def _by_address(settings: "RetrievalSettings") -> Reranker:
    from retrieval.endpoint import ModelEndpoint
    from retrieval.endpoint_address import ModelAddress
    from retrieval.rerank_forms import FORMS, NAMES, form_of, with_path
    from retrieval.rerank_http import HttpReranker

    model = settings.rerank_model.strip() if settings.rerank_model else None
    address = ModelAddress(
        what=f"the reranker {model!r}" if model else "the reranker",
        url=settings.rerank_url or "",
        url_setting="FOLIO_RERANK_URL",
        key=settings.rerank_api_key,
        key_setting="FOLIO_RERANK_API_KEY",
        model_setting="FOLIO_RERANK_MODEL",
    )
    address = replace(address, url=with_path(address.parts))
    form = FORMS[settings.rerank_form] if settings.rerank_form else form_of(address.parts)
    if form is None:
        raise FolioError(
            f"FOLIO_RERANK_URL {address.shown} does not say what the server understands: set FOLIO_RERANK_FORM to one "
            f"of {', '.join(NAMES)} (tei for text-embeddings-inference, jina for vLLM and Xinference)"
        )
    if form.needs_model and not model:
        raise FolioError(
            f"FOLIO_RERANK_MODEL is not set; set it to a reranker that {address.host} has, such as "
            "BAAI/bge-reranker-v2-m3"
        )
    return HttpReranker(form, ModelEndpoint(address, _TIMEOUT_SECONDS), model, settings.rerank_max_tokens)


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
        if isinstance(self._reranker, TokenReranker):
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
