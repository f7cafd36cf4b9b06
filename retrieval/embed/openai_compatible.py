"""A model behind any OpenAI-compatible `/embeddings` address."""

import logging
import re
from collections.abc import Sequence
from dataclasses import replace
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
_MOST_TEXTS = 32
"""In one request, unless FOLIO_EMBED_BATCH says otherwise; a server that takes fewer says so, and gets fewer."""


def _in_order(answer: Any) -> list[Any]:
    rows = answer["data"]
    if all("index" not in row for row in rows):
        return [row["embedding"] for row in rows]
    by_index = {row["index"]: row["embedding"] for row in rows}
    if sorted(by_index) != list(range(len(rows))):
        raise ValueError(f"its texts are numbered {[row['index'] for row in rows][:10]}")
    return [by_index[place] for place in range(len(rows))]


def with_path(address: SplitResult) -> str:
    """Return the address to post to; it may hold the path already."""
    return urlunsplit(address._replace(path=re.sub(r"(/embeddings)?/*$", "", address.path) + "/embeddings"))


class OpenAICompatibleEmbedder(ForeignEmbedder):
    """Embeds over HTTP, sending text, never token numbers; safe for threads.

    A text that the server finds too long is embedded in windows and averaged, so no tail is lost.
    """

    def __init__(
        self,
        model: str,
        endpoint: ModelEndpoint,
        *,
        prefixes: Prefixes = Prefixes(),  # noqa: B008  frozen
        dimensions: int | None = None,
        most_texts: int = _MOST_TEXTS,
        most_tokens: int | None = None,
    ) -> None:
        """Prepare; nothing is sent before the first text.

        `dimensions` asks a model that can for shorter vectors. `most_texts` is how many go in one request, and
        `most_tokens` how long a text may be: without it the server's refusal says.
        """
        self._model, self._endpoint = model, endpoint
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
        return cls(
            model,
            ModelEndpoint(replace(address, url=with_path(address.parts)), _TIMEOUT_SECONDS),
            prefixes=chosen_prefixes(model, settings.embed_query_prefix, settings.embed_passage_prefix),
            dimensions=settings.embed_dimensions,
            most_texts=settings.embed_batch or _MOST_TEXTS,
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
        body = {"model": self._model, "encoding_format": "float", **asked, "input": list(batch)}
        answer = self._endpoint.post(body, patience)
        try:
            vectors = _in_order(answer)
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
