"""Which embedder the settings name; no model is loaded and nothing is sent before the first text."""

from dataclasses import replace
from typing import TYPE_CHECKING

from preprocessing.errors import FolioError
from retrieval.embed.base import Embedder
from retrieval.embed.query_cache import QueryCache

if TYPE_CHECKING:
    from retrieval.settings import RetrievalSettings

BUNDLED = "bundled"
_TIMEOUT_SECONDS = 120
"""A local server without a graphics card may take this long for one batch."""


def open_embedder(chosen: "RetrievalSettings | str") -> Embedder:
    """Return the embedder that the settings name, which keeps the last questions, or the bare one of a model's name.

    With FOLIO_EMBED_BASE_URL the model is asked there; without it FOLIO_EMBED_MODEL is `bundled`, or a
    sentence-transformers name or path. Raises FolioError for settings that contradict each other.
    """
    return _by_name(chosen) if isinstance(chosen, str) else QueryCache(_by_settings(chosen))


def _by_name(model: str, query_prefix: str | None = None, passage_prefix: str | None = None) -> Embedder:
    if model == BUNDLED:
        from retrieval.embed.bundled import BundledEmbedder

        return BundledEmbedder()
    from retrieval.embed.sentence_transformers import SentenceTransformersEmbedder

    return SentenceTransformersEmbedder(model, query_prefix, passage_prefix)


def _by_settings(settings: "RetrievalSettings") -> Embedder:
    if settings.embed_base_url:
        return _by_address(settings)
    for name in ("embed_api_key", "embed_dimensions", "embed_batch", "embed_max_tokens"):
        if getattr(settings, name) is not None:
            raise FolioError(
                f"FOLIO_{name.upper()} is set but FOLIO_EMBED_BASE_URL is not; set it to the address of the "
                "embedding model, such as https://api.openai.com/v1"
            )
    prefixes = (settings.embed_query_prefix, settings.embed_passage_prefix)
    if settings.embed_model == BUNDLED and prefixes != (None, None):
        raise FolioError(
            "the bundled embedding model has its own prefixes: leave out FOLIO_EMBED_QUERY_PREFIX and "
            "FOLIO_EMBED_PASSAGE_PREFIX, or set FOLIO_EMBED_MODEL to the model that they are for"
        )
    return _by_name(settings.embed_model, *prefixes)


def _by_address(settings: "RetrievalSettings") -> Embedder:
    from retrieval.embed.forms import form_of, with_path
    from retrieval.embed.openai_compatible import OpenAICompatibleEmbedder
    from retrieval.embed.prefixes import chosen_prefixes
    from retrieval.embed.providers import most_texts
    from retrieval.endpoint import ModelEndpoint
    from retrieval.endpoint_address import ModelAddress

    model = settings.embed_model.strip()
    if model == BUNDLED:
        raise FolioError(
            "FOLIO_EMBED_BASE_URL is set but FOLIO_EMBED_MODEL is not; set it to an embedding model that server has"
        )
    address = ModelAddress(
        what=f"the embedding model {model!r}",
        url=settings.embed_base_url or "",
        url_setting="FOLIO_EMBED_BASE_URL",
        key=settings.embed_api_key,
        key_setting="FOLIO_EMBED_API_KEY",
        model_setting="FOLIO_EMBED_MODEL",
    )
    form = form_of(address.parts, model)
    return OpenAICompatibleEmbedder(
        model,
        ModelEndpoint(replace(address, url=with_path(address.parts, form)), _TIMEOUT_SECONDS),
        form=form,
        prefixes=chosen_prefixes(model, settings.embed_query_prefix, settings.embed_passage_prefix),
        dimensions=settings.embed_dimensions,
        most_texts=form.most_texts or settings.embed_batch or most_texts(address.parts.hostname or ""),
        most_tokens=settings.embed_max_tokens,
    )
