"""Text becomes unit vectors; which model does it is a setting."""

from retrieval.embed.base import Embedder
from retrieval.embed.open import BUNDLED, open_embedder

__all__ = ["BUNDLED", "Embedder", "open_embedder"]
