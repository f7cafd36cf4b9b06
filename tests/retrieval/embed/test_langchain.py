"""A LangChain object is trusted for its meaning, not for its manners."""

from typing import Any

import numpy as np
import pytest
from langchain_core.embeddings import Embeddings

from retrieval.embed.embedder import EmbeddingError
from retrieval.embed.langchain import LangChainEmbedder


class Scripted(Embeddings):
    """Returns what the test says."""

    def __init__(self, documents: Any, query: Any = (3, 4)) -> None:
        self.documents, self.query = documents, query

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        assert isinstance(self.documents, list)
        return self.documents

    def embed_query(self, text: str) -> list[float]:
        return list(self.query)


def test_vectors_become_unit_vectors() -> None:
    embedder = LangChainEmbedder(Scripted([[3, 4], [0, -2]]), "scripted")
    passages, query = embedder.embed_passages(["甲", "乙"]), embedder.embed_query("丙")
    assert passages.tolist() == np.array([[0.6, 0.8], [0, -1]], dtype=np.float32).tolist()
    assert query.tolist() == np.array([0.6, 0.8], dtype=np.float32).tolist()
    assert (passages.dtype, query.dtype) == (np.float32, np.float32)
    assert (embedder.model_id, embedder.dimension) == ("scripted", 2)


def test_the_dimension_is_known_before_any_text() -> None:
    assert LangChainEmbedder(Scripted([]), "scripted").dimension == 2
    assert LangChainEmbedder(Scripted([]), "scripted").embed_passages([]).shape == (0, 2)


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ([[3, 4]], "scripted returned 1 vectors for 2 texts"),
        ([[3, 4], [0, 0]], "scripted returned a vector of zeros"),
        ([[3, 4], [0, float("nan")]], "scripted returned NaN or infinity"),
        ([[3, 4], [1]], "scripted returned vectors of different lengths"),
        ([[], []], r"scripted returned shape \(2, 0\)"),
        ([[1, 2, 3], [1, 2, 3]], "scripted returned 3 dimensions after 2 before"),
    ],
)
def test_what_cannot_be_searched_with_is_refused(documents: Any, message: str) -> None:
    embedder = LangChainEmbedder(Scripted(documents), "scripted")
    assert embedder.dimension == 2
    with pytest.raises(EmbeddingError, match=message):
        embedder.embed_passages(["甲", "乙"])
