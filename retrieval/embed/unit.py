"""Vectors from a foreign model are checked and brought to length one."""

from typing import Any

import numpy as np

from preprocessing.errors import FolioError
from retrieval.embed.base import Vectors


class EmbeddingError(FolioError):
    """A model returned vectors that cannot be searched with; the message names the model."""


def unit_vectors(raw: Any, count: int, model_id: str) -> Vectors:
    """Return unit vectors: float32, shape (count, dimension).

    Raises EmbeddingError for another count, unequal lengths, NaN, infinity, or a vector of zeros.
    """
    try:
        array = np.asarray(raw, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise EmbeddingError(f"embedding model {model_id} returned vectors of different lengths") from error
    if len(array) != count:
        raise EmbeddingError(f"embedding model {model_id} returned {len(array)} vectors for {count} texts")
    if array.ndim != 2 or array.shape[1] == 0:
        raise EmbeddingError(f"embedding model {model_id} returned shape {array.shape} instead of ({count}, dimension)")
    if not np.isfinite(array).all():
        raise EmbeddingError(f"embedding model {model_id} returned NaN or infinity; try it on a CPU or in float32")
    lengths = np.linalg.norm(array, axis=1, keepdims=True)
    if not lengths.all():
        raise EmbeddingError(f"embedding model {model_id} returned a vector of zeros: is it an embedding model?")
    unit: Vectors = (array / lengths).astype(np.float32)
    return unit
