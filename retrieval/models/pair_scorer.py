"""Run a cross-encoder that was built here: a question and a passage, read together, become one score."""

import logging
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from preprocessing.telemetry import disable_telemetry
from retrieval.cross_encoder import Pair
from retrieval.models.artefacts import CROSS_ENCODER, TOKENIZER, checked
from retrieval.models.encoder import cores
from retrieval.simplified import simplified

_PAD = 1
_MOST_TOKENS = 512
_MARKS = 4
"""Tokens of a pair that are neither question's nor passage's: `<s> question </s> </s> passage </s>`."""
_OVERLAP = 32
"""Tokens that neighbouring windows share, so that a sentence cut by one is whole in the other."""
_BATCH_TOKENS = 512
_MOST_THREADS = 8
_log = logging.getLogger(__name__)


class OnnxPairScorer:
    """What `retrieval.models.build_cross_encoder` wrote, in int8 and without torch; safe for threads.

    Traditional Chinese is read as Simplified, as it was while the model was trained.
    """

    def __init__(self, folder: Path) -> None:
        """Prepare; `folder` holds the graph, the tokenizer and their checksums, read at the first pair."""
        self._folder = folder
        self._loading = threading.Lock()
        self._loaded: tuple[Any, Any] | None = None

    def fit(self, question: str, passage: str) -> list[Pair]:
        """Cut the passage into overlapping windows; a question beyond half the limit loses its own end, said once."""
        _, tokenizer = self._model()
        question, passage = simplified(question), simplified(passage)
        asked = tokenizer.encode(question, add_special_tokens=False)
        if len(asked.ids) > _MOST_TOKENS // 2:
            question = question[: asked.offsets[_MOST_TOKENS // 2 - 1][1]]
            _log.warning(
                "the question is too long for the reranker: it ranks by the first %d characters", len(question)
            )
        room = _MOST_TOKENS - _MARKS - min(len(asked.ids), _MOST_TOKENS // 2) - 2
        places = tokenizer.encode(passage, add_special_tokens=False).offsets
        if len(places) <= room:
            return [(question, passage)]
        starts = range(0, len(places) - _OVERLAP, room - _OVERLAP)
        ends = [min(start + room, len(places)) - 1 for start in starts]
        return [(question, passage[places[start][0] : places[end][1]]) for start, end in zip(starts, ends, strict=True)]

    def score(self, pairs: Sequence[Pair]) -> Sequence[float]:
        """Return one logit a pair; a pair gets the same alone and in any company."""
        _, tokenizer = self._model()
        rows = [tokenizer.encode(question, passage).ids[:_MOST_TOKENS] for question, passage in pairs]
        scores = np.empty(len(rows), dtype=np.float32)
        batches = list(_batches(rows))
        with ThreadPoolExecutor(max(1, min(cores(), _MOST_THREADS, len(batches)))) as pool:
            for batch, found in zip(
                batches, pool.map(self._run, ([rows[at] for at in batch] for batch in batches)), strict=True
            ):
                scores[batch] = found
        return [float(score) for score in scores]

    def free_memory(self) -> None:
        """Do nothing: ONNX Runtime keeps what it has."""

    def _run(self, rows: list[list[int]]) -> NDArray[np.float32]:
        session, _ = self._model()
        ids = np.full((len(rows), max(map(len, rows))), _PAD, dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, pair in enumerate(rows):
            ids[row, : len(pair)] = pair
            mask[row, : len(pair)] = 1
        result: NDArray[np.float32] = session.run(["score"], {"ids": ids, "mask": mask})[0]
        return result

    def _model(self) -> tuple[Any, Any]:
        with self._loading:
            if self._loaded is None:
                disable_telemetry()
                # Imported late: commands without a search need not wait for them.
                from onnxruntime import InferenceSession, SessionOptions
                from tokenizers import Tokenizer

                options = SessionOptions()
                # The caller's own thread does the work.
                options.intra_op_num_threads = 1
                path = str(checked(CROSS_ENCODER, self._folder))
                session = InferenceSession(path, options, providers=["CPUExecutionProvider"])
                self._loaded = (session, Tokenizer.from_file(str(checked(TOKENIZER, self._folder))))
        return self._loaded


def _batches(rows: Sequence[list[int]]) -> list[list[int]]:
    """Return the indices of pairs of about one length, so that little is padding; the longest first."""
    batches: list[list[int]] = []
    for at in sorted(range(len(rows)), key=lambda index: -len(rows[index])):
        if not batches or (len(batches[-1]) + 1) * len(rows[batches[-1][0]]) > _BATCH_TOKENS:
            batches.append([])
        batches[-1].append(at)
    return batches
