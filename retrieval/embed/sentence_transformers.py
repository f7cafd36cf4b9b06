"""An embedding model by name or path, run with sentence-transformers."""

import re
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from retrieval.embed.base import Vectors
from retrieval.embed.unit import unit_vectors
from retrieval.local_model import ModelError, architecture, loading
from retrieval.windows import windows

SETTING = "FOLIO_EMBED_MODEL"
_E5 = re.compile(r"(^|[-_])e5([-_]|$)")
_SPARE = 2
"""Tokens left free: a piece cut out of a text may count one more than it did inside."""


class SentenceTransformersEmbedder:
    """Embeds with a local model; a text beyond its limit is embedded in windows and averaged, so no tail is lost."""

    def __init__(self, name_or_path: str) -> None:
        """Prepare; the model is loaded when it is first needed."""
        self._name = name_or_path
        self._model: Any = None
        # Fast tokenizers keep their padding in themselves and refuse two threads at once.
        self._lock = threading.RLock()

    @property
    def model_id(self) -> str:
        """Name that the manifest records."""
        return self._name

    @property
    def dimension(self) -> int:
        """Length of each vector; loads the model."""
        with self._lock:
            return int(self._loaded().get_embedding_dimension())

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a text: float32, shape (len(texts), dimension); raises ModelError, EmbeddingError."""
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        return self._embed(texts, "document", "passage: ")

    def embed_query(self, text: str) -> Vectors:
        """Return the unit vector of a question: float32, shape (dimension,); raises ModelError, EmbeddingError."""
        vector: Vectors = self._embed([text], "query", "query: ")[0]
        return vector

    def _embed(self, texts: Sequence[str], task: str, e5_prefix: str) -> Vectors:
        with self._lock:
            model = self._loaded()
            # Prompts in the model's own configuration win; the E5 models were published without any.
            own = max(model.prompts.values(), key=len, default="")
            prefix = e5_prefix if not own and _is_e5(self._name) else ""
            pieces = [_fitting(text, own or prefix, model) for text in texts]
            flat = [piece for group in pieces for piece in group]
            encode = model.encode_query if task == "query" else model.encode_document
            prompt = {"prompt": prefix} if prefix else {}
            raw = encode(flat, **prompt, convert_to_numpy=True, show_progress_bar=False)
        vectors = unit_vectors(raw, len(flat), self._name)
        if len(flat) == len(texts):
            return vectors
        weights = np.array([len(piece) for piece in flat], dtype=np.float32)[:, None]
        ends = np.cumsum([len(group) for group in pieces])[:-1]
        sums = [part.sum(axis=0) for part in np.split(vectors * weights, ends)]
        return unit_vectors(sums, len(texts), self._name)

    def _loaded(self) -> Any:
        if self._model is None:
            self._model = _load(self._name)
        return self._model


def _load(name: str) -> Any:
    with loading(SETTING, name):
        # Imported late: torch takes seconds, and most commands do without.
        from sentence_transformers import SentenceTransformer

        model = SentenceTransformer(name)
    if architecture(model).endswith("ForSequenceClassification"):
        raise ModelError(f"{SETTING}={name} is a reranker, not an embedding model: it belongs in FOLIO_RERANK_MODEL")
    return model


def _is_e5(name: str) -> bool:
    return _E5.search(re.split(r"[/\\]", name.rstrip("/\\"))[-1].lower()) is not None


def _fitting(text: str, prompt: str, model: Any) -> list[str]:
    limit = model.max_seq_length
    if limit is None or model.tokenizer is None:
        return [text]
    taken = model.tokenizer.num_special_tokens_to_add() + len(model.tokenizer.tokenize(prompt)) + _SPARE
    return windows(text, model.tokenizer, max(limit - taken, 1))
