"""Run the bundled encoder: texts become sentence vectors, or one state for each token."""

import json
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from preprocessing.process import cores, disable_telemetry
from retrieval.models.artefacts import FOLDER, GRAPH, TOKENIZER, checked

DIMENSION = 384

Vectors = NDArray[np.float32]
TokenIds = NDArray[np.int64]

SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
"""The first pieces of the vocabulary."""
_START, _PAD, _END = 0, 1, 2
_WINDOW = 510
"""Tokens of text that the model reads at a time, besides start and end."""
_BATCH_TOKENS = 256
"""Texts share a batch up to this many tokens: more no longer fit a core's cache, and each token takes longer."""
_MOST_THREADS = 8


class Encoder:
    """multilingual-e5-small in int8, for any thread; the files are read at the first text."""

    def __init__(self, folder: Path = FOLDER) -> None:
        """Prepare; `folder` holds the graph, the tokenizer and their checksums."""
        self._folder = folder
        self._threads = min(cores(), _MOST_THREADS)
        self._loading = threading.Lock()
        self._loaded: tuple[Any, Any] | None = None

    def sentences(self, texts: Sequence[str], prefix: str) -> Vectors:
        """Return one unit vector a text: float32, shape (len(texts), 384).

        A text beyond 510 tokens is read in windows, and gets the average of their vectors weighted by tokens.
        Raises FolioError when a model file is missing or damaged.
        """
        windows = [_windows(ids) for ids in self._token_ids(texts, prefix)]
        flat = [window for group in windows for window in group]
        vectors = np.empty((len(flat), DIMENSION), dtype=np.float32)
        for batch, found in self._in_batches("sentence", flat):
            vectors[batch] = found
        if len(flat) == len(texts):
            return vectors
        weights = np.array([len(window) for window in flat], dtype=np.float32)[:, None]
        starts = np.cumsum([0] + [len(group) for group in windows[:-1]])
        sums = np.add.reduceat(vectors * weights, starts, axis=0)
        means: Vectors = sums / np.linalg.norm(sums, axis=1, keepdims=True)
        return means

    def token_states(self, texts: Sequence[str], prefix: str) -> list[tuple[TokenIds, Vectors]]:
        """Return for each text its token ids, int64 (tokens,), and their states, float32 (tokens, 384).

        The tokens are the text's own, those of the prefix and the marks of start and end left out; a text beyond
        510 tokens is read in windows laid end to end. States are not of length one.
        """
        skipped = len(self._token_ids([""], prefix)[0])
        every_id = self._token_ids(texts, prefix)
        windows = [_windows(ids) for ids in every_id]
        flat = [window for group in windows for window in group]
        states: list[Vectors] = [np.empty(0, dtype=np.float32)] * len(flat)
        for batch, padded in self._in_batches("states", flat):
            for at, row in zip(batch, padded, strict=True):
                states[at] = row[1 : len(flat[at]) + 1]
        ends = np.cumsum([len(group) for group in windows])
        joined = [np.concatenate(states[end - len(group) : end]) for group, end in zip(windows, ends, strict=True)]
        return [
            (np.array(ids[skipped:], dtype=np.int64), whole[skipped:])
            for ids, whole in zip(every_id, joined, strict=True)
        ]

    def information(self) -> Vectors:
        """Return -ln p of each piece, float32 (pieces,); 0 for the special ones, which tell nothing. Takes 0.1 s."""
        _, tokenizer = self._model()
        pieces = json.loads(tokenizer.to_str())["model"]["vocab"]
        information = -np.array([score for _, score in pieces], dtype=np.float32)
        information[: len(SPECIAL)] = 0.0
        return information

    def _token_ids(self, texts: Sequence[str], prefix: str) -> list[list[int]]:
        _, tokenizer = self._model()
        # One by one: a batch would start threads of the tokenizer's own, and the time is in the model anyway.
        return [tokenizer.encode(prefix + _readable(text), add_special_tokens=False).ids for text in texts]

    def _in_batches(self, output: str, windows: list[list[int]]) -> Iterator[tuple[list[int], Vectors]]:
        """Yield the indices of each batch and what the model gives for it; batches run side by side, a core each.

        Several cores on one batch get half as much done: its products are too small to be shared out.
        """
        batches = list(_batches(windows))
        run = partial(self._run, output)
        if len(batches) < 2:
            yield from ((batch, run([windows[at] for at in batch])) for batch in batches)
            return
        # The longest first, so that no core is left with one at the end.
        batches.reverse()
        with ThreadPoolExecutor(min(self._threads, len(batches))) as pool:
            yield from zip(batches, pool.map(run, ([windows[at] for at in batch] for batch in batches)), strict=True)

    def _run(self, output: str, windows: list[list[int]]) -> Vectors:
        session, _ = self._model()
        longest = max(len(window) for window in windows) + 2
        ids = np.full((len(windows), longest), _PAD, dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, window in enumerate(windows):
            ids[row, : len(window) + 2] = [_START, *window, _END]
            mask[row, : len(window) + 2] = 1
        result: Vectors = session.run([output], {"ids": ids, "mask": mask})[0]
        return result

    def _model(self) -> tuple[Any, Any]:
        with self._loading:
            if self._loaded is None:
                self._loaded = _load(self._folder)
        return self._loaded


def _load(folder: Path) -> tuple[Any, Any]:
    disable_telemetry()
    # Commands without a search need not wait for it.
    from onnxruntime import InferenceSession, SessionOptions

    options = SessionOptions()
    # The caller's own thread does the work.
    options.intra_op_num_threads = 1
    session = InferenceSession(str(checked(GRAPH, folder)), options, providers=["CPUExecutionProvider"])
    return session, Tokenizer.from_file(str(checked(TOKENIZER, folder)))


def _windows(ids: list[int]) -> list[list[int]]:
    return [ids[at : at + _WINDOW] for at in range(0, len(ids), _WINDOW)]


def _batches(windows: list[list[int]]) -> Iterator[list[int]]:
    """Yield the indices of windows of about one length, so that little is padding."""
    batch: list[int] = []
    for at in sorted(range(len(windows)), key=lambda index: len(windows[index])):
        if batch and (len(batch) + 1) * (len(windows[at]) + 2) > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(at)
    if batch:
        yield batch


def _readable(text: str) -> str:
    # Half a surrogate pair has no UTF-8 form.
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
