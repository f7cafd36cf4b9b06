"""A cross-encoder: a model that reads a question and a passage together and gives the pair one number."""

import logging
from collections.abc import Sequence
from typing import Any, Protocol

from retrieval.local_model import ModelError, architecture, loading
from retrieval.windows import beginning, windows

SETTING = "FOLIO_RERANK_MODEL"

Pair = tuple[str, str]
"""Question and passage."""

_log = logging.getLogger(__name__)
_OVERLAP = 32
"""Tokens that neighbouring windows share, so that a sentence cut by one is whole in the other."""
_SPARE = 2
"""Tokens left free: a piece cut out of a text may count one more than it did inside."""
_USUAL_LIMIT = 512
"""Tokens a pair where the model does not say its limit."""


class PairScorer(Protocol):
    """Gives pairs of question and passage a number, higher for a better answer, on any scale."""

    def fit(self, question: str, passage: str) -> list[Pair]:
        """Return the pairs that together hold all of the passage, each short enough to be read whole."""

    def score(self, pairs: Sequence[Pair]) -> Sequence[float]:
        """Return one number a pair, in the order of the pairs."""

    def free_memory(self) -> None:
        """Give back what a failed run left on the device."""


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
        return [(kept, piece) for piece in windows(passage, tokenizer, size, min(_OVERLAP, size // 4))]

    def score(self, pairs: Sequence[Pair]) -> Sequence[float]:
        """Return the raw outputs of the model: a sigmoid would make the best ones equal in 32 bits."""
        from torch.nn import Identity

        scores = self._model.predict(
            list(pairs), batch_size=len(pairs), activation_fn=Identity(), show_progress_bar=False
        )
        return [float(score) for score in scores]

    def free_memory(self) -> None:
        """Empty the cache of the graphics card, if there is one."""
        import torch

        if torch.cuda.is_available():
            torch.cuda.empty_cache()


def load_cross_encoder(name: str) -> CrossEncoderScorer:
    """Load a cross-encoder by name or path; raises ModelError, also when the model is of another kind."""
    with loading(SETTING, name):
        # Imported late: torch takes seconds, and most commands do without.
        from sentence_transformers import CrossEncoder

        model = CrossEncoder(name)
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
