"""A model behind any OpenAI-compatible `/embeddings` address, or Ark's multimodal one."""

import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlunsplit

from preprocessing.errors import FolioError
from retrieval.embed.embedder import (
    BUNDLED,
    EmbeddingError,
    ForeignEmbedder,
    Prefixes,
    Task,
    Vectors,
    check_dimension,
    chosen_prefixes,
    identity,
    mean_of_windows,
    unit_vectors,
)
from retrieval.remote.address import ModelAddress, RequestRefused
from retrieval.remote.endpoint import BRISK, PATIENT, Batches, ModelEndpoint, Patience
from retrieval.text.windows import estimated_tokens, estimated_windows

if TYPE_CHECKING:
    from retrieval.settings import RetrievalSettings

_log = logging.getLogger(__name__)
_AT_ONCE = 4
"""Requests in flight while documents are ingested."""
_SHORTEST = 64
"""Tokens of a text whose refusal has another reason than its length."""
_BLANK = "."
"""Sent for a text without a character, which most providers refuse."""
_TIMEOUT_SECONDS = 120
"""A local server without a graphics card may take this long for one batch."""
_MOST_TEXTS = {
    # Texts that a provider takes in one request, as far as it says so.
    "api.openai.com": 2048,
    "openai.azure.com": 2048,
    "aliyuncs.com": 10,
    "siliconflow.cn": 32,
    "siliconflow.com": 32,
    "bigmodel.cn": 64,
    "z.ai": 64,
    "volces.com": 10,
    "bytepluses.com": 10,
    "baidubce.com": 16,
    "generativelanguage.googleapis.com": 100,
    "api.cohere.com": 96,
}
_UNKNOWN = 32
"""What text-embeddings-inference takes unless it is told otherwise; most local servers take more."""
_ENOUGH = 128
"""A request of more texts takes longer to send and read than it saves."""


@dataclass(frozen=True, slots=True)
class EmbeddingForm:
    """How texts are sent, and where their vectors are in the answer."""

    path: str
    body: Callable[[Sequence[str]], dict[str, Any]]
    vectors: Callable[[Any], Any]
    """Returns one vector a text, in the order of the texts; raises ValueError, LookupError or TypeError."""
    most_texts: int | None = None
    """Texts that one request can hold; None where the provider decides."""


def _in_order(answer: Any) -> list[Any]:
    rows = answer["data"]
    if all("index" not in row for row in rows):
        return [row["embedding"] for row in rows]
    by_index = {row["index"]: row["embedding"] for row in rows}
    if sorted(by_index) != list(range(len(rows))):
        raise ValueError(f"its texts are numbered {[row['index'] for row in rows][:10]}")
    return [by_index[place] for place in range(len(rows))]


OPENAI = EmbeddingForm("embeddings", lambda texts: {"input": list(texts)}, _in_order)
# https://www.volcengine.com/docs/82379/1409290: one vector for all that a request holds.
ARK_MULTIMODAL = EmbeddingForm(
    "embeddings/multimodal",
    lambda texts: {"input": [{"type": "text", "text": text} for text in texts]},
    lambda answer: [answer["data"]["embedding"]],
    most_texts=1,
)


def form_of(address: SplitResult, model: str) -> EmbeddingForm:
    """Return the form that the address or the name of the model says."""
    of_ark = (address.hostname or "").endswith((".volces.com", ".bytepluses.com"))
    multimodal = address.path.rstrip("/").endswith("/multimodal") or (of_ark and "embedding-vision" in model)
    return ARK_MULTIMODAL if multimodal else OPENAI


def with_path(address: SplitResult, form: EmbeddingForm) -> str:
    """Return the address to post to; it may hold the path already."""
    base = re.sub(r"(/embeddings(/multimodal)?)?/*$", "", address.path)
    return urlunsplit(address._replace(path=f"{base}/{form.path}"))


class OpenAICompatibleEmbedder(ForeignEmbedder):
    """Embeds over HTTP, sending text, never token numbers; safe for threads.

    A text that the server finds too long is embedded in windows and averaged, so no tail is lost.
    """

    def __init__(
        self,
        model: str,
        endpoint: ModelEndpoint,
        *,
        form: EmbeddingForm = OPENAI,
        prefixes: Prefixes = Prefixes(),  # noqa: B008  frozen
        dimensions: int | None = None,
        most_texts: int = 32,
        most_tokens: int | None = None,
    ) -> None:
        """Prepare; nothing is sent before the first text.

        `dimensions` asks a model that can for shorter vectors. `most_texts` is how many go in one request, and
        `most_tokens` how long a text may be: without it the server's refusal says.
        """
        self._model, self._endpoint, self._form = model, endpoint, form
        self._prefixes, self._dimensions = prefixes, dimensions
        self._batches = Batches(most_texts, _AT_ONCE)
        self._most_tokens = most_tokens

    @classmethod
    def of(cls, settings: "RetrievalSettings") -> "OpenAICompatibleEmbedder":
        """Return the model at FOLIO_EMBED_BASE_URL; raises FolioError when no model of that server is named."""
        model = settings.embed_model.strip()
        if model == BUNDLED:
            raise FolioError(
                "FOLIO_EMBED_BASE_URL is set but FOLIO_EMBED_MODEL is not; set it to an embedding model that server has"
            )
        address = ModelAddress(
            what=f"the embedding model {model!r}",
            url=settings.embed_base_url or "",
            url_setting="FOLIO_EMBED_BASE_URL",
            key=settings.embed_api_key,
            key_setting="FOLIO_EMBED_API_KEY",
            model_setting="FOLIO_EMBED_MODEL",
        )
        form = form_of(address.parts, model)
        return cls(
            model,
            ModelEndpoint(replace(address, url=with_path(address.parts, form)), _TIMEOUT_SECONDS),
            form=form,
            prefixes=chosen_prefixes(model, settings.embed_query_prefix, settings.embed_passage_prefix),
            dimensions=settings.embed_dimensions,
            most_texts=form.most_texts or settings.embed_batch or most_texts(address.parts.hostname or ""),
            most_tokens=settings.embed_max_tokens,
        )

    @property
    def model_id(self) -> str:
        """Name that the manifest records: the model, the dimensions asked for and the prefixes, not the host."""
        return identity(self._model, self._prefixes.query or None, self._prefixes.passage or None, self._dimensions)

    def _embed(self, texts: Sequence[str], task: Task) -> Vectors:
        # While documents come in there is time to wait for a busy server.
        prefix = self._prefixes.query if task == "query" else self._prefixes.passage
        patience = BRISK if task == "query" else PATIENT
        while True:
            groups = [self._fitting(text, prefix) for text in texts]
            pieces = [prefix + piece for group in groups for piece in group]
            try:
                raw = self._batches.send(pieces, lambda batch: self._request(batch, patience))
                break
            except RequestRefused as refused:
                self._shorten(pieces, prefix, refused)
        vectors = unit_vectors(raw, len(pieces), self._model)
        if self._dimensions and vectors.shape[1] != self._dimensions:
            raise EmbeddingError(
                f"{self._endpoint.address.named} returned {vectors.shape[1]} dimensions, but FOLIO_EMBED_DIMENSIONS is "
                f"{self._dimensions}; set it to {vectors.shape[1]}, or leave it out"
            )
        check_dimension(vectors, self._dimension, self._model)
        self._dimension = vectors.shape[1]
        return mean_of_windows(vectors, groups, self._model)

    def _request(self, batch: Sequence[str], patience: Patience) -> list[Any]:
        asked = {"dimensions": self._dimensions} if self._dimensions else {}
        body = {"model": self._model, "encoding_format": "float", **asked, **self._form.body(batch)}
        answer = self._endpoint.post(body, patience)
        try:
            vectors = list(self._form.vectors(answer))
        except (ValueError, LookupError, TypeError) as error:
            address = self._endpoint.address
            raise EmbeddingError(
                f"{address.named} sent no list of vectors ({error}); check {address.url_setting}"
            ) from error
        if len(vectors) != len(batch):
            raise EmbeddingError(
                f"{self._endpoint.address.named} returned {len(vectors)} vectors for {len(batch)} texts"
            )
        return vectors

    def _fitting(self, text: str, prefix: str) -> list[str]:
        text = text if text.strip() else _BLANK
        if self._most_tokens is None:
            return [text]
        return estimated_windows(text, max(self._most_tokens - estimated_tokens(prefix), _SHORTEST // 2))

    def _shorten(self, pieces: Sequence[str], prefix: str, refused: RequestRefused) -> None:
        """Halve the longest text that is sent whole; raise what was refused where its length is not the reason."""
        longest, before = max(estimated_tokens(piece) for piece in pieces), estimated_tokens(prefix)
        if not refused.about_length or longest <= _SHORTEST + before:
            raise refused
        self._most_tokens = before + (longest - before + 1) // 2
        _log.warning(
            "%s; longer texts are embedded in windows of about %d tokens and averaged", refused, self._most_tokens
        )


def most_texts(hostname: str) -> int:
    """Return how many texts to send at once to the host; who takes fewer says so, and `Batches` heeds it."""
    limits = (limit for host, limit in _MOST_TEXTS.items() if hostname == host or hostname.endswith(f".{host}"))
    return min(next(limits, _UNKNOWN), _ENOUGH)
