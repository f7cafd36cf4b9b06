"""Any LangChain `Embeddings` as an embedder."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from retrieval.embed.embedder import Vectors, check_dimension, unit_vectors

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings


class LangChainEmbedder:
    """Embeds with a LangChain object; as safe for threads as that object is."""

    def __init__(self, embeddings: "Embeddings", model_id: str) -> None:
        """Wrap the object; `model_id` is what the manifest records, so it must change when the model does."""
        self._embeddings = embeddings
        self._model_id = model_id
        self._dimension: int | None = None

    @property
    def model_id(self) -> str:
        """Name that the manifest records."""
        return self._model_id

    @property
    def dimension(self) -> int:
        """Length of each vector; LangChain does not say it, so the first use embeds one word."""
        if self._dimension is None:
            self.embed_query("dimension")
        assert self._dimension is not None
        return self._dimension

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a text: float32, shape (len(texts), dimension); raises EmbeddingError."""
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        return self._checked(self._embeddings.embed_documents(list(texts)), len(texts))

    def embed_query(self, text: str) -> Vectors:
        """Return the unit vector of a question: float32, shape (dimension,); raises EmbeddingError."""
        vector: Vectors = self._checked([self._embeddings.embed_query(text)], 1)[0]
        return vector

    def _checked(self, raw: list[list[float]], count: int) -> Vectors:
        vectors = unit_vectors(raw, count, self._model_id)
        check_dimension(vectors, self._dimension, self._model_id)
        self._dimension = vectors.shape[1]
        return vectors
