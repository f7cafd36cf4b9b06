"""What every store gives: chunks and their vectors, written durably, searched by cosine."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from preprocessing.document import Chunk
from retrieval.embed.base import Vectors
from retrieval.filters import Filter
from retrieval.hit import Hit


class Store(Protocol):
    """Chunks by id with one vector each. Safe to call from several threads."""

    def upsert(self, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        """Write the chunks with vectors of shape (len(chunks), dimension); durable when it returns."""

    def delete_revision(self, revision: str) -> None:
        """Remove every chunk of one document state; nothing happens when there is none."""

    def search(self, vector: Vectors, k: int, where: Filter) -> list[Hit]:
        """Return the k nearest allowed chunks by cosine, best first, with leg `vector` filled in."""

    def get(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        """Return the chunks in the order of the ids; ids that are not there are left out."""

    def read_state(self, revision: str) -> tuple[list[Chunk], Vectors]:
        """Return the chunks of one document state by index, with their vectors, shape (chunks, dimension)."""

    def scan(self) -> Iterator[Chunk]:
        """Yield every chunk, in no order, without vectors."""

    def count(self, revision: str | None = None) -> int:
        """Return the number of chunks, of one document state when it is given."""

    def close(self) -> None:
        """Release the store; calling it twice is harmless."""
