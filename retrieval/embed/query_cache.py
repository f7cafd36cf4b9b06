"""The vectors of the last questions are kept: rewriting, searching and quoting embed the same one."""

from collections.abc import Sequence

from retrieval.embed.base import Embedder, Vectors
from retrieval.embed.latest_vectors import LatestVectors

QUESTIONS = 256
"""Under a megabyte at 768 dimensions."""


class QueryCache:
    """Any embedder, with its last question vectors at hand; safe for threads when the embedder is."""

    def __init__(self, embedder: Embedder, size: int = QUESTIONS) -> None:
        """Wrap the embedder; beyond `size` questions, the one longest unused is forgotten."""
        self._embedder = embedder
        self._latest = LatestVectors(size)

    @property
    def embedder(self) -> Embedder:
        """The embedder inside."""
        return self._embedder

    @property
    def model_id(self) -> str:
        """Name that the manifest records."""
        return self._embedder.model_id

    @property
    def dimension(self) -> int:
        """Length of each vector."""
        return self._embedder.dimension

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a text, from the embedder."""
        return self._embedder.embed_passages(texts)

    def embed_query(self, text: str) -> Vectors:
        """Return the unit vector of a question, a copy of its own for every caller."""
        known = self._latest.of([text])
        if text not in known:
            known = {text: self._embedder.embed_query(text)}
            self._latest.keep(known)
        return known[text]
