"""The forms of a request for reranking: who calls what by which name."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args
from urllib.parse import SplitResult, urlunsplit

RerankFormName = Literal["jina", "cohere", "siliconflow", "dashscope", "tei"]
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
