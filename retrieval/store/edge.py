"""The embedded store: a Qdrant Edge shard in a folder, owned by one process."""

import logging
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from preprocessing.document import Chunk
from retrieval.embed.base import Vectors
from retrieval.filters import Filter
from retrieval.hit import Hit, LegScore
from retrieval.store.conditions import AnyOf, edge_condition, excluded, required
from retrieval.store.keywords import Scored, Weights, best_first, passage_weights, question_weights
from retrieval.store.lock import FolderLock, StoreLocked
from retrieval.store.payload import REVISION, from_payload, point_id, to_payload
from retrieval.store.shard import KEYWORD, open_shard
from retrieval.store.vectors import check_passages, check_query, in_order

if TYPE_CHECKING:
    import qdrant_edge

__all__ = ["EdgeStore", "StoreLocked"]

_log = logging.getLogger(__name__)
_BATCH = 512
_LARGE = 200_000
"""Chunks above which an exact search takes tens of milliseconds and a server is the better home."""


class EdgeStore:
    """Chunks in a folder on this machine; several threads of the one process may use it."""

    def __init__(self, shard: "qdrant_edge.EdgeShard", dimension: int, lock: FolderLock) -> None:
        """Take over an open shard and the lock of its folder; use `open`."""
        self._shard = shard
        self._dimension = dimension
        self._lock = lock
        # The engine is thread-safe, but steady readers starve a writer. Readers pass this turnstile before
        # they read, and a writer keeps it while it writes, so it waits only for reads already under way.
        self._turnstile = threading.Lock()

    @classmethod
    def open(cls, folder: Path, dimension: int) -> Self:
        """Open the store in the folder, or make an empty one there.

        Raises StoreLocked when another process has it, FolioError when it holds vectors of another
        dimension or cannot be read.
        """
        folder.mkdir(parents=True, exist_ok=True)
        lock = FolderLock(folder)
        try:
            shard = open_shard(folder, dimension)
        except BaseException:
            lock.release()
            raise
        store = cls(shard, dimension, lock)
        store._write_missing_keywords()
        if (count := store.count()) > _LARGE:
            _log.warning("%s holds %d chunks; a server answers faster: set FOLIO_QDRANT_URL", folder, count)
        return store

    def upsert(self, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        """Write the chunks for both legs; durable when it returns. Raises VectorError before anything is written."""
        import qdrant_edge as edge

        array = check_passages(chunks, vectors, self._dimension)
        points = [
            edge.Point(point_id(chunk.chunk_id), _vectors(chunk, vector), to_payload(chunk))
            for chunk, vector in zip(chunks, array, strict=True)
        ]
        for start in range(0, len(points), _BATCH):
            with self._turnstile:
                self._shard.update(edge.UpdateOperation.upsert_points(points[start : start + _BATCH]))
        with self._turnstile:
            self._shard.flush()

    def delete_revision(self, revision: str) -> None:
        """Remove every chunk of one document state from both legs."""
        import qdrant_edge as edge

        condition = edge.Filter(must=[edge_condition(AnyOf(REVISION, [revision]))])
        with self._turnstile:
            self._shard.update(edge.UpdateOperation.delete_points_by_filter(condition))
            self._shard.flush()

    def search(self, vector: Vectors, k: int, where: Filter) -> list[Hit]:
        """Return the k nearest allowed chunks by cosine, best first, with leg `vector` filled in."""
        import qdrant_edge as edge

        query = check_query(vector, self._dimension)
        if k < 1:
            return []
        request = edge.QueryRequest(
            limit=k, query=edge.Query.Nearest(query.tolist()), filter=_filter(where), with_payload=True
        )
        points = self._reading().query(request)
        return [
            Hit(from_payload(point.payload or {}), point.score, {"vector": LegScore(rank, point.score)})
            for rank, point in enumerate(points, start=1)
        ]

    def search_keyword(self, question: str, k: int, where: Filter) -> Scored:
        """Return (chunk id, score) of the k best allowed chunks that share a token with the question, best first."""
        import qdrant_edge as edge

        weights = question_weights(question)
        if not weights or k < 1:
            return []
        nearest = edge.Query.Nearest(_sparse(weights), using=KEYWORD)
        request = edge.QueryRequest(limit=k, query=nearest, filter=_filter(where), with_payload=["chunk_id"])
        return best_first(((point.payload or {})["chunk_id"], point.score) for point in self._reading().query(request))

    def get(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        """Return the chunks in the order of the ids; ids that are not there are left out."""
        ids = [point_id(chunk_id) for chunk_id in chunk_ids]
        records = self._reading().retrieve(list(dict.fromkeys(ids)), with_payload=True, with_vector=False)
        found = {str(record.id): record.payload or {} for record in records}
        return [from_payload(found[name]) for name in ids if name in found]

    def read_state(self, revision: str) -> tuple[list[Chunk], Vectors]:
        """Return the chunks of one document state by index, with their vectors, shape (chunks, dimension)."""
        import qdrant_edge as edge

        of_revision = edge.Filter(must=[edge_condition(AnyOf(REVISION, [revision]))])
        return in_order(
            [(from_payload(record.payload or {}), record.vector[""]) for record in self._scroll(of_revision, True)],
            self._dimension,
        )

    def scan(self) -> Iterator[Chunk]:
        """Yield every chunk, in no order, without vectors."""
        yield from (from_payload(record.payload or {}) for record in self._scroll(None, False))

    def _scroll(self, where: "qdrant_edge.Filter | None", with_vector: bool) -> Iterator[Any]:
        import qdrant_edge as edge

        offset: Any = None
        while True:
            request = edge.ScrollRequest(
                offset=offset, limit=_BATCH, filter=where, with_payload=True, with_vector=with_vector
            )
            records, offset = self._reading().scroll(request)
            yield from records
            if offset is None:
                return

    def count(self, revision: str | None = None) -> int:
        """Return the number of chunks, of one document state when it is given."""
        import qdrant_edge as edge

        where = None if revision is None else edge.Filter(must=[edge_condition(AnyOf(REVISION, [revision]))])
        return self._reading().count(edge.CountRequest(exact=True, filter=where))

    def count_keyword(self) -> int:
        """Return the number of chunks that the keyword leg holds."""
        import qdrant_edge as edge

        return self._reading().count(
            edge.CountRequest(exact=True, filter=edge.Filter(must=[edge.HasVectorCondition(KEYWORD)]))
        )

    def close(self) -> None:
        """Write what is left and let another process in; calling it twice is harmless."""
        with self._turnstile:
            self._shard.close()
        self._lock.release()

    def _write_missing_keywords(self) -> None:
        """Write the keywords of chunks that have none: of an older index, or of one whose update was interrupted."""
        import qdrant_edge as edge

        if self.count_keyword() == self.count():
            return
        without = edge.Filter(must_not=[edge.HasVectorCondition(KEYWORD)])
        bare = [from_payload(record.payload or {}) for record in self._scroll(without, False)]
        _log.info("writing the keywords of %d chunks", len(bare))
        for start in range(0, len(bare), _BATCH):
            vectors = [
                edge.PointVectors(point_id(chunk.chunk_id), {KEYWORD: _sparse(passage_weights(chunk))})
                for chunk in bare[start : start + _BATCH]
            ]
            self._shard.update(edge.UpdateOperation.update_vectors(vectors))
        self._shard.flush()

    def _reading(self) -> "qdrant_edge.EdgeShard":
        with self._turnstile:
            return self._shard


def _filter(where: Filter) -> "qdrant_edge.Filter":
    import qdrant_edge as edge

    return edge.Filter(
        must=[edge_condition(one) for one in required(where)],
        must_not=[edge_condition(one) for one in excluded(where)],
    )


def _vectors(chunk: Chunk, vector: Vectors) -> "dict[str, Any]":
    return {"": vector.tolist(), KEYWORD: _sparse(passage_weights(chunk))}


def _sparse(weights: Weights) -> "qdrant_edge.SparseVector":
    import qdrant_edge as edge

    return edge.SparseVector(list(weights), list(weights.values()))
