"""Any LangChain `Embeddings` as an embedder."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from retrieval.embed.embedder import ForeignEmbedder, Task, Vectors, check_dimension, unit_vectors

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings


class LangChainEmbedder(ForeignEmbedder):
    """Embeds with a LangChain object; as safe for threads as that object is."""

    def __init__(self, embeddings: "Embeddings", model_id: str) -> None:
        """Wrap the object; `model_id` is what the manifest records, so it must change when the model does."""
        self._embeddings = embeddings
        self._model_id = model_id

    @property
    def model_id(self) -> str:
        """Name that the manifest records."""
        return self._model_id

    def _embed(self, texts: Sequence[str], task: Task) -> Vectors:
        one = task == "query"
        raw = [self._embeddings.embed_query(texts[0])] if one else self._embeddings.embed_documents(list(texts))
        vectors = unit_vectors(raw, len(texts), self._model_id)
        check_dimension(vectors, self._dimension, self._model_id)
        self._dimension = vectors.shape[1]
        return vectors
