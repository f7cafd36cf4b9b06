"""A model behind any OpenAI-compatible `/embeddings` address, or Ark's multimodal one."""

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np

from retrieval.batches import Batches
from retrieval.embed.base import Vectors
from retrieval.embed.forms import OPENAI, EmbeddingForm
from retrieval.embed.prefixes import Prefixes, identity
from retrieval.embed.unit import EmbeddingError, check_dimension, mean_of_windows, unit_vectors
from retrieval.endpoint import BRISK, PATIENT, ModelEndpoint, Patience
from retrieval.endpoint_errors import RequestRefused
from retrieval.windows import estimated_tokens, estimated_windows

_log = logging.getLogger(__name__)
_AT_ONCE = 4
"""Requests in flight while documents are ingested."""
_SHORTEST = 64
"""Tokens of a text whose refusal has another reason than its length."""
_BLANK = "."
"""Sent for a text without a character, which most providers refuse."""


class OpenAICompatibleEmbedder:
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
        self._dimension: int | None = None

    @property
    def model_id(self) -> str:
        """Name that the manifest records: the model, the dimensions asked for and the prefixes, not the host."""
        return identity(self._model, self._prefixes.query or None, self._prefixes.passage or None, self._dimensions)

    @property
    def dimension(self) -> int:
        """Length of each vector; the server does not say it, so the first use embeds one word. Raises FolioError."""
        if self._dimension is None:
            self.embed_query("dimension")
        assert self._dimension is not None
        return self._dimension

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a text: float32, shape (len(texts), dimension).

        Raises EndpointError and EmbeddingError.
        """
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        return self._embed(texts, self._prefixes.passage, PATIENT)

    def embed_query(self, text: str) -> Vectors:
        """Return the unit vector of a question: float32, shape (dimension,).

        Raises EndpointError and EmbeddingError.
        """
        vector: Vectors = self._embed([text], self._prefixes.query, BRISK)[0]
        return vector

    def _embed(self, texts: Sequence[str], prefix: str, patience: Patience) -> Vectors:
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
