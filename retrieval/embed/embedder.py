"""What every embedder gives, which one the settings name, and what is common to those of foreign models."""

import re
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
from cachetools import LRUCache
from numpy.typing import NDArray

from preprocessing.errors import FolioError

if TYPE_CHECKING:
    from retrieval.settings import RetrievalSettings

Vectors = NDArray[np.float32]
Task = Literal["query", "document"]

BUNDLED = "bundled"
_KINDS = {
    BUNDLED: "retrieval.embed.bundled:BundledEmbedder.of",
    "local": "retrieval.embed.sentence_transformers:SentenceTransformersEmbedder.of",
    "address": "retrieval.embed.openai_compatible:OpenAICompatibleEmbedder.of",
}
_SEARCH = "Given a web search query, retrieve relevant passages that answer the query"
_KEPT_TEXTS = 4096
"""Some ten megabytes at 768 dimensions."""


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


class EmbeddingError(FolioError):
    """A model returned vectors that cannot be searched with; the message names the model."""


def open_embedder(settings: "RetrievalSettings") -> "CachingEmbedder":
    """Return the embedder that the settings name; no model is loaded and nothing is sent before the first text.

    With FOLIO_EMBED_BASE_URL the model is asked there; without it FOLIO_EMBED_MODEL is `bundled`, or a
    sentence-transformers name or path. Raises FolioError for settings that contradict each other.
    """
    of: Callable[[RetrievalSettings], Embedder] = resolve_name(_KINDS[_kind(settings)])
    return CachingEmbedder(of(settings))


def _kind(settings: "RetrievalSettings") -> str:
    if settings.embed_base_url:
        return "address"
    for name in ("embed_api_key", "embed_dimensions", "embed_batch", "embed_max_tokens"):
        if getattr(settings, name) is not None:
            raise FolioError(
                f"FOLIO_{name.upper()} is set but FOLIO_EMBED_BASE_URL is not; set it to the address of the "
                "embedding model, such as https://api.openai.com/v1"
            )
    if settings.embed_model != BUNDLED:
        return "local"
    if (settings.embed_query_prefix, settings.embed_passage_prefix) != (None, None):
        raise FolioError(
            "the bundled embedding model has its own prefixes: leave out FOLIO_EMBED_QUERY_PREFIX and "
            "FOLIO_EMBED_PASSAGE_PREFIX, or set FOLIO_EMBED_MODEL to the model that they are for"
        )
    return BUNDLED


class CachingEmbedder:
    """Any embedder, with the vectors of its last texts at hand; safe for threads when the embedder is.

    Rewriting, searching and quoting embed the same question, and questions on one subject quote the same passages.
    """

    def __init__(self, embedder: Embedder, size: int = _KEPT_TEXTS) -> None:
        """Wrap the embedder; beyond `size` texts, the one longest unused is forgotten."""
        self._embedder = embedder
        self._kept: LRUCache[tuple[str, str], Vectors] = LRUCache(size)
        self._lock = threading.Lock()

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
        """Return one unit vector a text; only those that are not known are embedded, each once."""
        with self._lock:
            known = {text: self._kept[key] for text in texts if (key := ("passage", text)) in self._kept}
        new = list(dict.fromkeys(text for text in texts if text not in known))
        if new or not texts:
            made = self._embedder.embed_passages(new)
            if not texts:
                return made
            known.update((text, vector.copy()) for text, vector in zip(new, made, strict=True))
            with self._lock:
                self._kept.update((("passage", text), known[text]) for text in new)
        return np.stack([known[text] for text in texts])

    def embed_query(self, text: str) -> Vectors:
        """Return the unit vector of a question, a copy of its own for every caller."""
        with self._lock:
            known = self._kept.get(("query", text))
        if known is None:
            known = self._embedder.embed_query(text)
            with self._lock:
                self._kept["query", text] = known
        return known.copy()


class ForeignEmbedder(ABC):
    """What the embedders of foreign models share: they say how texts are embedded, and how one is asked for vectors."""

    _dimension: int | None = None

    @abstractmethod
    def _embed(self, texts: Sequence[str], task: Task) -> Vectors:
        """Return one unit vector a text; sets `_dimension`."""

    @property
    def dimension(self) -> int:
        """Length of each vector; nobody says it beforehand, so the first use embeds one word. Raises FolioError."""
        if self._dimension is None:
            self.embed_query("dimension")
        assert self._dimension is not None
        return self._dimension

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a text: float32, shape (len(texts), dimension); raises FolioError."""
        return self._embed(texts, "document") if texts else np.empty((0, self.dimension), dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        """Return the unit vector of a question: float32, shape (dimension,); raises FolioError."""
        vector: Vectors = self._embed([text], "query")[0]
        return vector


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


@dataclass(frozen=True, slots=True)
class Prefixes:
    """Text put before every question and before every passage; the models that need none take the empty ones."""

    query: str = ""
    passage: str = ""


_USUAL = (
    # https://huggingface.co/intfloat/multilingual-e5-large-instruct
    (re.compile(r"(^|[-_])e5[-_].*(instruct|mistral)"), Prefixes(f"Instruct: {_SEARCH}\nQuery: ")),
    # https://huggingface.co/intfloat/multilingual-e5-large
    (re.compile(r"(^|[-_])e5([-_:]|$)"), Prefixes("query: ", "passage: ")),
    # https://huggingface.co/Qwen/Qwen3-Embedding-0.6B
    (re.compile(r"(^|[-_])qwen3-embedding"), Prefixes(f"Instruct: {_SEARCH}\nQuery:")),
)


def usual_prefixes(model: str) -> Prefixes:
    """Return the prefixes of the family that a name or path says the model is of; empty for every other."""
    name = re.split(r"[/\\]", model.rstrip("/\\"))[-1].lower()
    return next((prefixes for family, prefixes in _USUAL if family.search(name)), Prefixes())


def chosen_prefixes(model: str, query: str | None, passage: str | None) -> Prefixes:
    """Return the usual prefixes with those put in their place that are set; a blank one means none."""
    usual = usual_prefixes(model)
    return Prefixes(
        usual.query if query is None else query if query.strip() else "",
        usual.passage if passage is None else passage if passage.strip() else "",
    )


def identity(model: str, query: str | None, passage: str | None, dimensions: int | None = None) -> str:
    """Return the name under which the manifest records a model that is asked with these prefixes.

    None leaves a prefix to the model. The name holds everything that makes other vectors of the same text, but not
    where the model runs; vectors have length one in every case.
    """
    marks = [f"{dimensions} dimensions"] if dimensions else []
    marks += [f"query prefix {query!r}"] if query is not None else []
    marks += [f"passage prefix {passage!r}"] if passage is not None else []
    return f"{model} ({', '.join(marks)})" if marks else model
