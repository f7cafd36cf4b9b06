"""What every embedder gives."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns text into unit vectors; questions and passages may take different prefixes."""

    @property
    def model_id(self) -> str:
        """Name that the manifest records; another name means another vector space."""

    @property
    def dimension(self) -> int:
        """Length of each vector."""

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a text: float32, shape (len(texts), dimension)."""

    def embed_query(self, text: str) -> Vectors:
        """Return the unit vector of a question: float32, shape (dimension,)."""
