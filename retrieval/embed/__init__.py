"""Text becomes unit vectors; which model does it is a setting."""

from retrieval.embed.embedder import BUNDLED, Embedder, open_embedder

__all__ = ["BUNDLED", "Embedder", "open_embedder"]
