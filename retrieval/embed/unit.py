"""Vectors from a foreign model are checked and brought to length one."""

from collections.abc import Sequence
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
        raise EmbeddingError(
            f"embedding model {model_id} returned vectors of different lengths, or of something else than numbers"
        ) from error
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


def check_dimension(vectors: Vectors, before: int | None, model_id: str) -> None:
    """Raise EmbeddingError when a model gives vectors of another length than before; None is the first time."""
    if before not in (None, vectors.shape[1]):
        raise EmbeddingError(f"embedding model {model_id} returned {vectors.shape[1]} dimensions after {before} before")


def mean_of_windows(vectors: Vectors, texts: Sequence[Sequence[str]], model_id: str) -> Vectors:
    """Return one unit vector a text, the mean of its windows' vectors, each weighted by its characters.

    `texts` holds the windows of each text, and `vectors` has one row a window, in their order.
    """
    if len(vectors) == len(texts):
        return vectors
    weights = np.array([len(window) for windows in texts for window in windows], dtype=np.float32)[:, None]
    ends = np.cumsum([len(windows) for windows in texts])[:-1]
    sums = [part.sum(axis=0) for part in np.split(vectors * weights, ends)]
    return unit_vectors(sums, len(texts), model_id)
