"""The vectors of the sentences that were last looked at are kept: questions on one subject quote from the same ones."""

from collections.abc import Sequence

import numpy as np

from retrieval.embed.base import Embedder, Vectors
from retrieval.embed.latest_vectors import LatestVectors

TEXTS = 4096
"""Some ten megabytes at 768 dimensions."""


class PassageCache:
    """Any embedder, with its last passage vectors at hand; safe for threads when the embedder is."""

    def __init__(self, embedder: Embedder, size: int = TEXTS) -> None:
        """Wrap the embedder; beyond `size` texts, the one longest unused is forgotten."""
        self._embedder = embedder
        self._latest = LatestVectors(size)

    @property
    def model_id(self) -> str:
        """Name that the manifest records."""
        return self._embedder.model_id

    @property
    def dimension(self) -> int:
        """Length of each vector."""
        return self._embedder.dimension

    def embed_query(self, text: str) -> Vectors:
        """Return the unit vector of a question, from the embedder."""
        return self._embedder.embed_query(text)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a text; only those that are not known are embedded, each once."""
        known = self._latest.of(texts)
        new = list(dict.fromkeys(text for text in texts if text not in known))
        if new or not texts:
            made = self._embedder.embed_passages(new)
            if not texts:
                return made
            known.update(zip(new, made, strict=True))
        self._latest.keep({text: known[text] for text in texts})
        return np.stack([known[text] for text in texts])
