"""What every store gives: chunks with their vectors and keywords, written durably, searched by both legs."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from preprocessing.document import Chunk
from retrieval.embed.base import Vectors
from retrieval.filters import Filter
from retrieval.hit import Hit
from retrieval.store.keywords import Scored


class Store(Protocol):
    """Chunks by id, each with a vector and the weights of its words. Safe to call from several threads."""

    def upsert(self, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        """Write the chunks for both legs with vectors of shape (len(chunks), dimension); durable when it returns."""

    def delete_revision(self, revision: str) -> None:
        """Remove every chunk of one document state from both legs; nothing happens when there is none."""

    def search(self, vector: Vectors, k: int, where: Filter) -> list[Hit]:
        """Return the k nearest allowed chunks by cosine, best first, with leg `vector` filled in."""

    def search_keyword(self, question: str, k: int, where: Filter) -> Scored:
        """Return (chunk id, score) of the k best allowed chunks that share a token with the question, best first."""

    def get(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        """Return the chunks in the order of the ids; ids that are not there are left out."""

    def read_state(self, revision: str) -> tuple[list[Chunk], Vectors]:
        """Return the chunks of one document state by index, with their vectors, shape (chunks, dimension)."""

    def scan(self) -> Iterator[Chunk]:
        """Yield every chunk, in no order, without vectors."""

    def count(self, revision: str | None = None) -> int:
        """Return the number of chunks, of one document state when it is given."""

    def count_keyword(self) -> int:
        """Return the number of chunks that the keyword leg holds."""

    def close(self) -> None:
        """Release the store; calling it twice is harmless."""
