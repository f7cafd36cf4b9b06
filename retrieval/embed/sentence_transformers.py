"""An embedding model by name or path, run with sentence-transformers."""

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from retrieval.embed.embedder import (
    ForeignEmbedder,
    Task,
    Vectors,
    chosen_prefixes,
    identity,
    mean_of_windows,
    unit_vectors,
)
from retrieval.models.local import ModelError, architecture, load
from retrieval.text.windows import windows

if TYPE_CHECKING:
    from retrieval.settings import RetrievalSettings

SETTING = "FOLIO_EMBED_MODEL"
_SPARE = 2
"""Tokens left free: a piece cut out of a text may count one more than it did inside."""


class SentenceTransformersEmbedder(ForeignEmbedder):
    """Embeds with a local model; a text beyond its limit is embedded in windows and averaged, so no tail is lost."""

    def __init__(self, name_or_path: str, query_prefix: str | None = None, passage_prefix: str | None = None) -> None:
        """Prepare; the model is loaded when it is first needed.

        A prefix that is given takes the place of the model's own, a blank one leaves it out.
        """
        self._name = name_or_path
        self._asked = {"query": query_prefix, "document": passage_prefix}
        self._model: Any = None
        # Fast tokenizers keep their padding in themselves and refuse two threads at once.
        self._lock = threading.RLock()

    @classmethod
    def of(cls, settings: "RetrievalSettings") -> "SentenceTransformersEmbedder":
        """Return the model that the settings name."""
        return cls(settings.embed_model, settings.embed_query_prefix, settings.embed_passage_prefix)

    @property
    def model_id(self) -> str:
        """Name that the manifest records: the model, and the prefixes where they are not its own."""
        return identity(self._name, self._asked["query"], self._asked["document"])

    @property
    def dimension(self) -> int:
        """Length of each vector; loads the model."""
        with self._lock:
            return int(self._loaded().get_embedding_dimension())

    def _embed(self, texts: Sequence[str], task: Task) -> Vectors:
        with self._lock:
            model = self._loaded()
            # Prompts in the model's own configuration win over the usual ones; some were published without any.
            own = max((prompt or "" for prompt in model.prompts.values()), key=len, default="")
            prefix = self._prefix(task, own)
            groups = [_fitting(text, own if prefix is None else prefix, model) for text in texts]
            pieces = [piece for group in groups for piece in group]
            encode = model.encode_query if task == "query" else model.encode_document
            raw = encode(pieces, prompt=prefix, convert_to_numpy=True, show_progress_bar=False)
        return mean_of_windows(unit_vectors(raw, len(pieces), self._name), groups, self._name)

    def _prefix(self, task: Task, own: str) -> str | None:
        """Return what is put before a text; None leaves it to the model."""
        if self._asked[task] is None and own:
            return None
        chosen = chosen_prefixes(self._name, self._asked["query"], self._asked["document"])
        return chosen.query if task == "query" else chosen.passage

    def _loaded(self) -> Any:
        if self._model is None:
            self._model = _load(self._name)
        return self._model


def _load(name: str) -> Any:
    model = load("SentenceTransformer", SETTING, name)
    if architecture(model).endswith("ForSequenceClassification"):
        raise ModelError(f"{SETTING}={name} is a reranker, not an embedding model: it belongs in FOLIO_RERANK_MODEL")
    return model


def _fitting(text: str, prompt: str, model: Any) -> list[str]:
    limit = model.max_seq_length
    if limit is None or model.tokenizer is None:
        return [text]
    taken = model.tokenizer.num_special_tokens_to_add() + len(model.tokenizer.tokenize(prompt)) + _SPARE
    return windows(text, model.tokenizer, max(limit - taken, 1))
