"""Vectors of passages are kept between runs, because embedding them is most of the work of an evaluation.

One SQLite file, `vectors_of` (model_id, sha256, vector): the vector of the text with that SHA-256 under that
model, as little-endian float32. It is a cache: delete the file and the next run fills
it again. Each batch is on disk before the next begins, so a run that was stopped goes on where it was.
"""

import hashlib
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from retrieval.embed.embedder import Embedder, Vectors

BATCH = 16
PROBE = "Annual leave is fifteen days. 年假十五天。"
_LOOKUP = 500
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS vectors_of (model_id TEXT, sha256 BLOB, vector BLOB NOT NULL, "
    "PRIMARY KEY (model_id, sha256)) WITHOUT ROWID"
)

Progress = Callable[[int, int], None]
"""Called with (texts that have their vector, texts in all)."""


class CachedEmbedder:
    """Embeds each passage once, ever. Questions are embedded anew each time, so that they can be timed."""

    def __init__(self, embedder: Embedder, connection: sqlite3.Connection, progress: Progress | None = None) -> None:
        self._embedder = embedder
        self._connection = connection
        self._progress = progress or (lambda _done, _total: None)
        self._version = ""
        """Whose vectors these are: the name alone does not change when the model is built anew."""

    @property
    def model_id(self) -> str:
        """Name of the model inside."""
        return self._embedder.model_id

    @property
    def dimension(self) -> int:
        """Length of each vector."""
        return self._embedder.dimension

    def embed_query(self, text: str) -> Vectors:
        """Return the unit vector of a question, never from the cache."""
        return self._embedder.embed_query(text)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a text, embedding only those that were never embedded by this model."""
        if not texts:
            return self._embedder.embed_passages(texts)
        if not self._version:
            self._version = f"{self.model_id} {_fingerprint(self._embedder)}"
        keys = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
        known = self._known(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        distinct = len(known) + len(missing)
        for batch in _batches(list(missing), BATCH):
            self._progress(len(known), distinct)
            fresh = self._embed({key: missing[key] for key in batch})
            self._keep(fresh)
            known |= fresh
        self._progress(distinct, distinct)
        return np.stack([known[key] for key in keys])

    def _embed(self, texts: Mapping[bytes, str]) -> dict[bytes, Vectors]:
        return dict(zip(texts, self._embedder.embed_passages(list(texts.values())).astype("<f4"), strict=True))

    def _known(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        known: dict[bytes, Vectors] = {}
        for some in _batches(list(dict.fromkeys(keys)), _LOOKUP):
            marks = ",".join("?" * len(some))
            rows = self._connection.execute(
                f"SELECT sha256, vector FROM vectors_of WHERE model_id = ? AND sha256 IN ({marks})",
                (self._version, *some),
            )
            known |= {key: np.frombuffer(vector, dtype="<f4") for key, vector in rows}
        return known

    def _keep(self, fresh: Mapping[bytes, Vectors]) -> None:
        with self._connection:
            self._connection.executemany(
                "INSERT OR REPLACE INTO vectors_of (model_id, sha256, vector) VALUES (?, ?, ?)",
                [(self._version, key, vector.tobytes()) for key, vector in fresh.items()],
            )


@contextmanager
def vector_cache(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the cache, or make an empty one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, timeout=30)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute(_SCHEMA)
        yield connection
    finally:
        connection.close()


def _fingerprint(embedder: Embedder) -> str:
    """Tell one build of a model from another by what it makes of a text; the last digits may differ by machine."""
    probe = np.round(embedder.embed_passages([PROBE])[0].astype(np.float64), 3) + 0.0
    return hashlib.sha256(probe.tobytes()).hexdigest()[:16]


def _batches(keys: Sequence[bytes], size: int) -> Iterator[Sequence[bytes]]:
    return (keys[start : start + size] for start in range(0, len(keys), size))
