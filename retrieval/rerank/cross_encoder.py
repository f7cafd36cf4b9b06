"""Rerank with a cross-encoder by name or path, which reads a question and a passage together."""

import logging
import math
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from retrieval.embed.embedder import Embedder
from retrieval.hit import Hit
from retrieval.models.local import ModelError, architecture, load
from retrieval.rerank.rerank import by_best_window
from retrieval.text.windows import OVERLAP, beginning, windows

if TYPE_CHECKING:
    from retrieval.settings import RetrievalSettings

SETTING = "FOLIO_RERANK_MODEL"

Pair = tuple[str, str]
"""Question and passage."""

_log = logging.getLogger(__name__)
_BATCH = 16
_SPARE = 2
"""Tokens left free: a piece cut out of a text may count one more than it did inside."""
_USUAL_LIMIT = 512
"""Tokens a pair where the model does not say its limit."""


class CrossEncoderReranker:
    """Reranks with a cross-encoder by name or path; threads take turns."""

    def __init__(self, name_or_path: str, scorer: "CrossEncoderScorer | None" = None) -> None:
        """Prepare; the model is loaded at the first question unless `scorer` is given."""
        self._name = name_or_path
        self._scorer = scorer
        # Fast tokenizers keep their padding in themselves and refuse two threads at once.
        self._lock = threading.Lock()

    @classmethod
    def of(cls, settings: "RetrievalSettings", _embedder: Embedder | None) -> "CrossEncoderReranker":
        """Return the model that the settings name."""
        return cls(settings.rerank_model or "")

    @property
    def model_id(self) -> str:
        """Name of the model."""
        return self._name

    def rerank(self, question: str, hits: Sequence[Hit]) -> list[Hit]:
        """Score every hit that has text, and return all of them best first.

        A hit without a usable score (no text, NaN) goes to the end in its old order. The old order stays when
        the model gives none or memory does not suffice for a single pair; a warning says so.
        Raises ModelError when the model cannot be loaded or does not score every pair.
        """
        readable = [place for place, hit in enumerate(hits) if hit.chunk.text.strip()]
        if not readable:
            return list(hits)
        with self._lock:
            scorer = self._scorer = self._scorer or load_cross_encoder(self._name)
            fitted = [
                (place, pair) for place in readable for pair in scorer.fit(question, hits[place].chunk.search_text)
            ]
            scores = _in_batches([pair for _, pair in fitted], scorer, self._name)
        if scores is None:
            return list(hits)
        return by_best_window(hits, [place for place, _ in fitted], scores, self._name)


class CrossEncoderScorer:
    """Runs a loaded `sentence_transformers.CrossEncoder`; not safe for threads."""

    def __init__(self, model: Any) -> None:
        """Wrap the model."""
        self._model = model

    def fit(self, question: str, passage: str) -> list[Pair]:
        """Cut the passage into overlapping windows; a question beyond half the limit loses its own end, said once."""
        tokenizer = self._model.tokenizer
        room = (self._model.max_seq_length or _USUAL_LIMIT) - tokenizer.num_special_tokens_to_add(pair=True) - _SPARE
        kept = beginning(question, tokenizer, max(room // 2, 1))
        if kept != question:
            _log.warning("the question is too long for the reranker: it ranks by the first %d characters", len(kept))
        size = max(room - len(tokenizer.tokenize(kept)), 1)
        return [(kept, piece) for piece in windows(passage, tokenizer, size, min(OVERLAP, size // 4))]

    def score(self, pairs: Sequence[Pair]) -> Sequence[float]:
        """Return the raw outputs of the model: a sigmoid would make the best ones equal in 32 bits."""
        scores = self._model.predict(
            list(pairs), batch_size=len(pairs), activation_fn=lambda logits: logits, show_progress_bar=False
        )
        return [float(score) for score in scores]

    def free_memory(self) -> None:
        """Empty the cache of the graphics card, if there is one."""
        import torch

        if torch.cuda.is_available():
            torch.cuda.empty_cache()


def load_cross_encoder(name: str) -> CrossEncoderScorer:
    """Load a cross-encoder by name or path; raises ModelError, also when the model is of another kind."""
    model = load("CrossEncoder", SETTING, name)
    # Any network loads as a cross-encoder: what its file lacks is filled with random numbers.
    saved_as = architecture(model)
    if not saved_as.endswith(("ForSequenceClassification", "ForCausalLM")):
        raise ModelError(
            f"{SETTING}={name} is not a reranker (it is saved as {saved_as or 'nothing known'}); "
            "a right one is BAAI/bge-reranker-v2-m3"
        )
    if model.num_labels != 1:
        raise ModelError(
            f"{SETTING}={name} gives {model.num_labels} scores a pair, and a reranker gives one; "
            "a right one is BAAI/bge-reranker-v2-m3"
        )
    return CrossEncoderScorer(model)


def _in_batches(pairs: Sequence[Pair], scorer: CrossEncoderScorer, name: str) -> list[float] | None:
    # Pairs of like length share a batch: the shorter ones are padded to the longest.
    order = sorted(range(len(pairs)), key=lambda place: len(pairs[place][1]), reverse=True)
    scores = [math.nan] * len(pairs)
    size, start = _BATCH, 0
    while start < len(order):
        batch = order[start : start + size]
        try:
            found = scorer.score([pairs[place] for place in batch])
        except (MemoryError, RuntimeError) as error:
            if not _out_of_memory(error):
                raise
            scorer.free_memory()
            if size == 1:
                _log.warning("reranker %s has not enough memory for one passage: the order stays as it was", name)
                return None
            size = max(min(size, len(batch)) // 2, 1)
            continue
        if len(found) != len(batch):
            raise ModelError(f"reranker {name} gave {len(found)} scores for {len(batch)} passages; it cannot be used")
        for place, score in zip(batch, found, strict=True):
            scores[place] = score
        start += len(batch)
    return scores


def _out_of_memory(error: Exception) -> bool:
    # torch has a type for graphics cards alone; Apple's and the CPU's fault are told by their words.
    words = str(error).lower()
    return isinstance(error, MemoryError) or "out of memory" in words or "can't allocate memory" in words
