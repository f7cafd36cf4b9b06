"""The vectors of the sentences that were last looked at are kept: questions on one subject quote from the same ones."""

import threading
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from retrieval.embed.base import Embedder, Vectors

TEXTS = 4096
"""Some ten megabytes at 768 dimensions."""


class PassageCache:
    """Any embedder, with its last passage vectors at hand; safe for threads when the embedder is."""

    def __init__(self, embedder: Embedder, size: int = TEXTS) -> None:
        """Wrap the embedder; beyond `size` texts, the one longest unused is forgotten."""
        self._embedder = embedder
        self._size = size
        self._kept: OrderedDict[str, Vectors] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def model_id(self) -> str:
        """Name that the manifest records."""
        return self._embedder.model_id

    @property
    def dimension(self) -> int:
        """Length of each vector."""
        return self._embedder.dimension

    def embed_query(self, text: str) -> Vectors:
        """Return the unit vector of a question, from the embedder."""
        return self._embedder.embed_query(text)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a text; only those that are not known are embedded, each once."""
        with self._lock:
            known = {text: vector for text in texts if (vector := self._kept.get(text)) is not None}
        new = list(dict.fromkeys(text for text in texts if text not in known))
        if new or not texts:
            # Not under the lock: who knows all of its texts does not wait for others.
            made = self._embedder.embed_passages(new)
            if not texts:
                return made
            known.update(zip(new, made, strict=True))
        with self._lock:
            for text in texts:
                self._kept[text] = known[text].copy()
                self._kept.move_to_end(text)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
        return np.stack([known[text] for text in texts])
