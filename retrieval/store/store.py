"""What every store gives: chunks with their vectors and keywords, written durably, searched by both legs."""

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np

from preprocessing.document import Chunk
from preprocessing.errors import FolioError
from retrieval.embed.embedder import Vectors
from retrieval.filters import Filter
from retrieval.hit import Hit
from retrieval.store.keywords import Scored


class StoreLocked(FolioError):
    """Another process has the store open."""


class ServerError(FolioError):
    """The Qdrant server could not do what was asked; the message says what to mend."""


class Store(Protocol):
    """Chunks by id, each with a vector and the weights of its words. Safe to call from several threads."""

    def upsert(self, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        """Write the chunks for both legs with vectors of shape (len(chunks), dimension); durable when it returns."""

    def delete_revision(self, revision: str) -> None:
        """Remove every chunk of one revision from both legs; nothing happens when there is none."""

    def search(self, vector: Vectors, k: int, where: Filter) -> list[Hit]:
        """Return the k nearest allowed chunks by cosine, best first, with leg `vector` filled in."""

    def search_keyword(self, question: str, k: int, where: Filter) -> Scored:
        """Return (chunk id, score) of the k best allowed chunks that share a token with the question, best first."""

    def get(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        """Return the chunks in the order of the ids; ids that are not there are left out."""

    def read_revision(self, revision: str) -> tuple[list[Chunk], Vectors]:
        """Return the chunks of one revision by index, with their vectors, shape (chunks, dimension)."""

    def scan(self) -> Iterator[Chunk]:
        """Yield every chunk, in no order, without vectors."""

    def count(self, revision: str | None = None) -> int:
        """Return the number of chunks, of one revision when it is given."""

    def count_keyword(self) -> int:
        """Return the number of chunks that the keyword leg holds."""

    def close(self) -> None:
        """Release the store; calling it twice is harmless."""


class VectorError(FolioError):
    """A vector cannot be stored or searched; the message names the chunk and the fault."""


def check_passages(chunks: Sequence[Chunk], vectors: Vectors, dimension: int) -> Vectors:
    """Return the vectors as float32 of shape (len(chunks), dimension).

    Raises VectorError for another shape, or for the first vector that is not finite or has no length.
    """
    array = _as_floats(vectors)
    if array.shape != (len(chunks), dimension):
        raise VectorError(
            f"vectors of shape {array.shape} do not fit; {len(chunks)} chunks need ({len(chunks)}, {dimension})"
        )
    for chunk, vector in zip(chunks, array, strict=True):
        if fault := _fault(vector):
            raise VectorError(f"vector of chunk {chunk.chunk_id!r} {fault}; check the model in FOLIO_EMBED_MODEL")
    return array


def check_query(vector: Vectors, dimension: int) -> Vectors:
    """Return the vector of a question as float32 of shape (dimension,); raises VectorError as for passages."""
    array = _as_floats(vector)
    if array.shape != (dimension,):
        raise VectorError(
            f"question vector of shape {array.shape} does not fit; the store holds ({dimension},): "
            "set FOLIO_EMBED_MODEL back, or run folio reindex"
        )
    if fault := _fault(array):
        raise VectorError(f"vector of the question {fault}; check the model in FOLIO_EMBED_MODEL")
    return array


def _as_floats(vectors: Vectors) -> Vectors:
    try:
        return np.asarray(vectors, dtype=np.float32)
    except ValueError as error:
        raise VectorError("vectors differ in length; an embedder returns one length for every text") from error


def _fault(vector: Vectors) -> str:
    if not np.isfinite(vector).all():
        return "holds NaN or infinity"
    return "" if vector.any() else "is all zeros"


def in_order(points: Sequence[tuple[Chunk, Sequence[float]]], dimension: int) -> tuple[list[Chunk], Vectors]:
    """Return the chunks by index, with their vectors as float32 of shape (len(points), dimension)."""
    by_index = sorted(points, key=lambda point: point[0].index)
    vectors = np.array([vector for _, vector in by_index], dtype=np.float32).reshape(len(by_index), dimension)
    return [chunk for chunk, _ in by_index], vectors
