"""What every keyword leg gives: chunks found by the words that they share with a question."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from preprocessing.document import Chunk
from retrieval.filters import Filter


class KeywordIndex(Protocol):
    """Chunks by their words: an inverted index in this process, or sparse vectors beside the others on a server.

    Safe to call from several threads.
    """

    def __len__(self) -> int:
        """Return the number of chunks."""

    def add(self, chunks: Sequence[Chunk]) -> None:
        """Index chunks that were written to the store."""

    def remove_revision(self, revision: str) -> None:
        """Forget every chunk of one document state, which was removed from the store."""

    def search(self, question: str, k: int, where: Filter) -> list[tuple[str, float]]:
        """Return (chunk id, score) of the k best allowed chunks that share a token with the question, best first."""

    def save(self, path: Path, generation: int) -> None:
        """Keep the index for the next start, with the generation of the store that it belongs to."""
