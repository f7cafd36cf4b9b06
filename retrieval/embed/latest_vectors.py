"""The vectors of the texts that were last used, for as many texts as there is room for."""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping

from retrieval.embed.base import Vectors


class LatestVectors:
    """Keeps copies of vectors by text, so that no caller changes those of another; safe for threads."""

    def __init__(self, size: int) -> None:
        """Keep `size` texts; beyond them, the one longest unused is forgotten."""
        self._size = size
        self._kept: OrderedDict[str, Vectors] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, texts: Iterable[str]) -> dict[str, Vectors]:
        """Return the vectors of the texts that are known, which count as used now."""
        with self._lock:
            known = {text: self._kept[text].copy() for text in texts if text in self._kept}
            for text in known:
                self._kept.move_to_end(text)
        return known

    def keep(self, vectors: Mapping[str, Vectors]) -> None:
        """Keep the vectors, the last of them as the latest."""
        with self._lock:
            for text, vector in vectors.items():
                self._kept[text] = vector.copy()
                self._kept.move_to_end(text)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
