"""LangChain `Embeddings` that embed nothing: a vector store gets from them the vectors that are there already."""

import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from langchain_core.embeddings import Embeddings

from preprocessing.errors import FolioError
from retrieval.embed.base import Vectors


class HandedVectors(Embeddings):
    """Answers for the texts that were just handed over, in any order; one hand-over at a time."""

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._ready: dict[str, deque[list[float]]] = {}
        self._turn = threading.RLock()

    @contextmanager
    def handing(self, texts: Sequence[str], vectors: Vectors) -> Iterator[None]:
        """Give these vectors for these texts until it ends."""
        with self._turn:
            for text, vector in zip(texts, vectors.tolist(), strict=True):
                self._ready.setdefault(text, deque()).append(vector)
            try:
                yield
            finally:
                self._ready = {}

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the vectors of the texts."""
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of the text; raises FolioError for a text that was not handed over."""
        if not self._ready:
            # Some stores embed a word of their own when they are made, to learn the dimension.
            return [1.0] + [0.0] * (self._dimension - 1)
        vectors = self._ready.get(text)
        if not vectors:
            raise FolioError("the vector store asks for the vector of a text that it was not given: it changes texts")
        # The same text may stand in several chunks, and a store may ask for one a second time.
        return vectors.popleft() if len(vectors) > 1 else vectors[0]
