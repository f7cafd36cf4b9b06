"""The embedder that comes with Folio: multilingual-e5-small in int8, on any CPU, without a download or torch."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from preprocessing.errors import FolioError
from retrieval.embed.embedder import Vectors
from retrieval.models.artefacts import GRAPH, expected_sha256
from retrieval.models.encoder import DIMENSION, Encoder, TokenIds
from retrieval.text.writing import simplified

if TYPE_CHECKING:
    from retrieval.settings import RetrievalSettings

MODEL_ID = "multilingual-e5-small-int8"
_READING = "t2s"
"""What is done to a text before it is read, as part of the model's name: Traditional Chinese becomes Simplified."""

_PASSAGE = "passage: "
_QUERY = "query: "


class BundledEmbedder:
    """Embeds Chinese, English and, less finely, other languages; a text of any length counts to its end.

    Safe for threads; the same text gets the same vector alone and in any batch.
    """

    def __init__(self, encoder: Encoder | None = None) -> None:
        """Prepare; the model is read at the first text."""
        self._encoder = encoder or Encoder()

    @classmethod
    def of(cls, _settings: "RetrievalSettings") -> "BundledEmbedder":
        """Return the one that there is, whatever the settings say."""
        return cls()

    @property
    def model_id(self) -> str:
        """Name that the manifest records; it changes with the file, because another file gives other vectors."""
        return f"{MODEL_ID}-{expected_sha256(GRAPH)[:8]}-{_READING}"

    @property
    def dimension(self) -> int:
        """Length of each vector."""
        return DIMENSION

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a text: float32, shape (len(texts), 384); raises FolioError without its files."""
        return self._sentences(texts, _PASSAGE)

    def embed_query(self, text: str) -> Vectors:
        """Return the unit vector of a question: float32, shape (384,); raises FolioError without its files."""
        vector: Vectors = self._sentences([text], _QUERY)[0]
        return vector

    def token_states(self, texts: Sequence[str], *, query: bool) -> list[tuple[TokenIds, Vectors]]:
        """Return for each text its token ids, int64 (tokens,), and their states, float32 (tokens, 384).

        The marks of start and end and the prefix, which the model needs to read, are left out.
        """
        return self._encoder.token_states([simplified(text) for text in texts], _QUERY if query else _PASSAGE)

    def information(self) -> Vectors:
        """Return -ln p of each token id, float32 (vocabulary,): rare pieces of words tell more than frequent ones."""
        return self._encoder.information()

    def _sentences(self, texts: Sequence[str], prefix: str) -> Vectors:
        try:
            return self._encoder.sentences([simplified(text) for text in texts], prefix)
        except ImportError as error:
            reason = " ".join(str(error).split())
            raise FolioError(
                f"the bundled embedding model does not run on this machine ({reason}): "
                "set FOLIO_EMBED_MODEL to a sentence-transformers model, such as intfloat/multilingual-e5-small"
            ) from error
