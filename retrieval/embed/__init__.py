"""Text becomes unit vectors; which model does it is a setting."""

from retrieval.embed.base import Embedder

BUNDLED = "bundled"


def open_embedder(model: str) -> Embedder:
    """Return the embedder that FOLIO_EMBED_MODEL names: `bundled`, or a sentence-transformers name or path."""
    if model == BUNDLED:
        from retrieval.embed.bundled import BundledEmbedder

        return BundledEmbedder()
    from retrieval.embed.sentence_transformers import SentenceTransformersEmbedder

    return SentenceTransformersEmbedder(model)
