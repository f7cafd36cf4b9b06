"""Rerank with a model behind a `/rerank` address."""

import logging
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, get_args
from urllib.parse import SplitResult, urlunsplit

from preprocessing.errors import FolioError
from retrieval.embed.embedder import Embedder
from retrieval.hit import Hit
from retrieval.remote.address import EndpointError, ModelAddress, RequestRefused
from retrieval.remote.endpoint import Batches, ModelEndpoint
from retrieval.rerank.rerank import by_best_window
from retrieval.settings import RerankFormName
from retrieval.text.windows import OVERLAP, estimated_beginning, estimated_tokens, estimated_windows

if TYPE_CHECKING:
    from retrieval.settings import RetrievalSettings

_log = logging.getLogger(__name__)
_TIMEOUT_SECONDS = 30
_SPARE = 8
"""Tokens that part question and passage."""
_SHORTEST = 128
"""Tokens of question and passage whose refusal has another reason than their length."""


Body = Callable[[str | None, str, Sequence[str]], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class RerankForm:
    """How a question and passages are sent, and where their scores are in the answer."""

    name: RerankFormName
    body: Body
    """Returns the body for a model, a question and passages."""
    results: Callable[[Any], Any]
    """Returns the list of scored passages in an answer; raises LookupError or TypeError."""
    score: str
    """Field of a result that holds its score; `index` holds the place of the passage in the request."""
    most_passages: int
    """Passages that one request may hold."""
    most_tokens: int
    """Tokens of question and passage together that any model behind this form reads."""
    needs_model: bool = True


def _jina(model: str | None, question: str, passages: Sequence[str]) -> dict[str, Any]:
    return {**_cohere(model, question, passages), "return_documents": False}


def _cohere(model: str | None, question: str, passages: Sequence[str]) -> dict[str, Any]:
    # Some return only four unless told how many.
    return {"model": model, "query": question, "documents": list(passages), "top_n": len(passages)}


def _tei(_model: str | None, question: str, passages: Sequence[str]) -> dict[str, Any]:
    # A sigmoid would make the best scores equal in 32 bits.
    return {"query": question, "texts": list(passages), "raw_scores": True, "return_text": False, "truncate": True}


def _dashscope(model: str | None, question: str, passages: Sequence[str]) -> dict[str, Any]:
    parameters = {"top_n": len(passages), "return_documents": False}
    return {"model": model, "input": {"query": question, "documents": list(passages)}, "parameters": parameters}


def _results(answer: Any) -> Any:
    return answer["results"]


FORMS: dict[RerankFormName, RerankForm] = {
    form.name: form
    for form in (
        # https://api.jina.ai/redoc#tag/rerank; also vLLM, Xinference, LiteLLM and most gateways.
        RerankForm("jina", _jina, _results, "relevance_score", 100, 1024),
        # https://docs.cohere.com/reference/rerank, versions 1 and 2; also DashScope's /reranks.
        RerankForm("cohere", _cohere, _results, "relevance_score", 100, 4096),
        # https://docs.siliconflow.cn/api-reference/rerank/create-rerank
        RerankForm("siliconflow", _jina, _results, "relevance_score", 100, 512),
        # https://www.alibabacloud.com/help/en/model-studio/text-rerank-api: 30,000 tokens a request.
        RerankForm("dashscope", _dashscope, lambda a: a["output"]["results"], "relevance_score", 20, 4000),
        # https://huggingface.github.io/text-embeddings-inference/
        RerankForm("tei", _tei, lambda answer: answer, "score", 32, 512, needs_model=False),
    )
}
NAMES: tuple[RerankFormName, ...] = get_args(RerankFormName)


def form_of(address: SplitResult) -> RerankForm | None:
    """Return the form that the address says; None for one at which servers of several kinds answer."""
    host, path = address.hostname or "", address.path.rstrip("/")
    if "/services/rerank/" in path:
        return FORMS["dashscope"]
    if path.endswith(("/v2/rerank", "/reranks")) or host.endswith((".cohere.com", ".cohere.ai")):
        return FORMS["cohere"]
    if host.endswith((".siliconflow.cn", ".siliconflow.com")):
        return FORMS["siliconflow"]
    return FORMS["jina"] if path.endswith("/v1/rerank") else None


def with_path(address: SplitResult) -> str:
    """Return the address to post to; one that ends before the path of its task gets `/rerank`."""
    path = address.path.rstrip("/")
    if path == "" or path.endswith(("/v1", "/v2")):
        path += "/rerank"
    return urlunsplit(address._replace(path=path))


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

    @classmethod
    def of(cls, settings: "RetrievalSettings", _embedder: Embedder | None) -> "HttpReranker":
        """Return the model at FOLIO_RERANK_URL; raises FolioError where the settings do not say how to ask it."""
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
                f"FOLIO_RERANK_URL {address.shown} does not say what the server understands: set FOLIO_RERANK_FORM to "
                f"one of {', '.join(NAMES)} (tei for text-embeddings-inference, jina for vLLM and Xinference)"
            )
        if form.needs_model and not model:
            raise FolioError(
                f"FOLIO_RERANK_MODEL is not set; set it to a reranker that {address.host} has, such as "
                "BAAI/bge-reranker-v2-m3"
            )
        return cls(form, ModelEndpoint(address, _TIMEOUT_SECONDS), model, settings.rerank_max_tokens)

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
            for window in estimated_windows(hits[place].chunk.search_text, size, min(OVERLAP, size // 4))
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
        answer = self._endpoint.post(self._form.body(self._model, question, passages))
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
