"""What an index was made with, and whether it fits the settings in force."""

from collections.abc import Mapping
from typing import Any

from preprocessing.errors import FolioError
from retrieval.embed.base import Embedder
from retrieval.settings import RetrievalSettings
from retrieval.tokens import TOKENIZER_ID

Manifest = Mapping[str, Any]


class IndexMismatch(FolioError):
    """The index was made with other settings than those in force."""


def made_with(embedder: Embedder) -> dict[str, Any]:
    """Return the entries for an index that is made now.

    `embed_model` names all that makes other vectors of a text: the model, and the prefixes of questions and passages
    where they are not its usual ones. Every vector has length one.
    """
    return {"embed_model": embedder.model_id, "dimension": embedder.dimension, "tokenizer": TOKENIZER_ID}


def is_made_with(manifest: Manifest, embedder: Embedder) -> bool:
    """Say whether the vectors of the index are those of the embedder; an empty index fits every one."""
    return bool(manifest.get("embed_model", embedder.model_id) == embedder.model_id)


def check_manifest(manifest: Manifest, embedder: Embedder, settings: RetrievalSettings) -> None:
    """Raise IndexMismatch when the index was made with another embedding model."""
    if not is_made_with(manifest, embedder):
        raise IndexMismatch(
            f"the index in {settings.home} was made with the embedding model {manifest['embed_model']!r}, but "
            f"FOLIO_EMBED_MODEL is now {settings.embed_model!r} ({embedder.model_id}): set it back, or run folio "
            "reindex, which embeds all chunks anew without reading files"
        )


def check_dimension(manifest: Manifest, dimension: int, settings: RetrievalSettings) -> None:
    """Raise IndexMismatch when a model of the same name makes vectors of another length.

    How long they are is known only once a model is loaded or asked, so that is when it is checked.
    """
    stored = manifest.get("dimension", dimension)
    if stored != dimension:
        raise IndexMismatch(
            f"the index in {settings.home} holds vectors of {stored} dimensions, and FOLIO_EMBED_MODEL "
            f"{settings.embed_model!r} now gives {dimension}: set the model back, or run folio reindex, which embeds "
            "all chunks anew without reading files"
        )


def check_tokens(manifest: Manifest) -> None:
    """Raise IndexMismatch when the keywords in the store were cut by another tokenizer than those of questions."""
    stored = manifest.get("tokenizer", TOKENIZER_ID)
    if stored != TOKENIZER_ID:
        raise IndexMismatch(
            f"the keywords of the index were cut by the tokenizer {stored}, and this Folio has {TOKENIZER_ID}: "
            "run folio reindex, which writes them anew without reading files"
        )


def chunk_model(manifest: Manifest, embedder: Embedder) -> str:
    """Return the model by which it is told whether a file is unchanged: the one that its chunks were merged by.

    After `folio reindex` that is not the one of the vectors, and no file has to be read again for it.
    """
    return str(manifest.get("chunk_model", embedder.model_id))
