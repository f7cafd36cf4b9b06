"""The shared store: a collection on a Qdrant server or cluster, for several processes at once."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Self, TypeVar

from preprocessing.document import Chunk
from retrieval.embed.base import Vectors
from retrieval.filters import Filter
from retrieval.hit import Hit, LegScore
from retrieval.store.collection import KEYWORD, VECTOR, CollectionShape, make_ready
from retrieval.store.conditions import AnyOf, excluded, required, server_condition
from retrieval.store.keywords import Scored, Weights, best_first, passage_weights, question_weights
from retrieval.store.payload import REVISION, from_payload, point_id, to_payload
from retrieval.store.retry import READ_PAUSES, WRITE_PAUSES, retrying
from retrieval.store.server import MEMORY, connect, host_of, said_by
from retrieval.store.vectors import check_passages, check_query, in_order

if TYPE_CHECKING:
    from qdrant_client import QdrantClient, models

Answer = TypeVar("Answer")

_BATCH = 128
"""Points a request: a few megabytes of JSON with vectors of 1,024 numbers, and a server takes 32."""


class QdrantStore:
    """Chunks in one collection of a server, each a point with a dense vector and the sparse one of its keywords.

    Several threads and processes may use it.
    """

    def __init__(self, client: "QdrantClient", host: str, collection: str, dimension: int) -> None:
        """Take over a client and a collection that is there; use `open`."""
        self._client = client
        self._host = host
        self._collection = collection
        self._dimension = dimension
        # The in-process engine of the client breaks when threads write and read it at once; a server does not.
        self._turn = threading.RLock() if host == MEMORY else nullcontext()

    @classmethod
    def open(cls, url: str, api_key: str | None, collection: str, shape: CollectionShape) -> Self:
        """Open the collection at `http(s)://host:port`, or make it there with its indexes; nothing in it is read.

        Raises ServerError when the server is not there or refuses the key, FolioError when the collection
        holds vectors of another dimension.
        """
        client = connect(url, api_key)
        host = host_of(url)
        try:
            with said_by(host):
                make_ready(client, host, collection, shape)
        except BaseException:
            client.close()
            raise
        return cls(client, host, collection, shape.dimension)

    def upsert(self, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        """Write the chunks for both legs; durable when it returns. Raises VectorError before anything is written."""
        array = check_passages(chunks, vectors, self._dimension)
        for start in range(0, len(chunks), _BATCH):
            points = [
                self._point(chunk, vector)
                for chunk, vector in zip(
                    chunks[start : start + _BATCH], array[start : start + _BATCH].tolist(), strict=True
                )
            ]
            self._write(lambda points=points: self._client.upsert(self._collection, points, wait=True))  # type: ignore[misc]

    def delete_revision(self, revision: str) -> None:
        """Remove every chunk of one document state from both legs."""
        from qdrant_client import models

        selector = models.FilterSelector(filter=_of_revision(revision))
        self._write(lambda: self._client.delete(self._collection, selector, wait=True))

    def search(self, vector: Vectors, k: int, where: Filter) -> list[Hit]:
        """Return the k nearest allowed chunks by cosine, best first, with leg `vector` filled in."""
        query = check_query(vector, self._dimension)
        if k < 1:
            return []
        points = self._nearest(query.tolist(), VECTOR, k, where, True)
        return [
            Hit(from_payload(point.payload or {}), point.score, {"vector": LegScore(rank, point.score)})
            for rank, point in enumerate(points, start=1)
        ]

    def search_keyword(self, question: str, k: int, where: Filter) -> Scored:
        """Return (chunk id, score) of the k best allowed chunks that share a token with the question, best first."""
        weights = question_weights(question)
        if not weights or k < 1:
            return []
        points = self._nearest(_sparse(weights), KEYWORD, k, where, ["chunk_id"])
        return best_first(((point.payload or {})["chunk_id"], point.score) for point in points)

    def get(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        """Return the chunks in the order of the ids; ids that are not there are left out."""
        ids = [point_id(chunk_id) for chunk_id in chunk_ids]
        if not ids:
            return []
        wanted = list(dict.fromkeys(ids))
        records = self._read(lambda: self._client.retrieve(self._collection, wanted, with_payload=True))
        found = {str(record.id): record.payload or {} for record in records}
        return [from_payload(found[name]) for name in ids if name in found]

    def read_state(self, revision: str) -> tuple[list[Chunk], Vectors]:
        """Return the chunks of one document state by index, with their vectors, shape (chunks, dimension)."""
        records = self._scroll(_of_revision(revision), [VECTOR])
        return in_order(
            [(from_payload(record.payload or {}), record.vector[VECTOR]) for record in records], self._dimension
        )

    def scan(self) -> Iterator[Chunk]:
        """Yield every chunk, in no order, without vectors."""
        yield from (from_payload(record.payload or {}) for record in self._scroll(None, False))

    def count(self, revision: str | None = None) -> int:
        """Return the number of chunks, of one document state when it is given."""
        return self._count(_of_revision(revision) if revision is not None else None)

    def count_keyword(self) -> int:
        """Return the number of chunks that the keyword leg holds."""
        from qdrant_client import models

        return self._count(models.Filter(must=[models.HasVectorCondition(has_vector=KEYWORD)]))

    def close(self) -> None:
        """End the connection; calling it twice is harmless."""
        self._client.close()

    def _point(self, chunk: Chunk, vector: list[float]) -> "models.PointStruct":
        from qdrant_client import models

        vectors = {VECTOR: vector, KEYWORD: _sparse(passage_weights(chunk))}
        return models.PointStruct(id=point_id(chunk.chunk_id), vector=vectors, payload=to_payload(chunk))

    def _nearest(
        self,
        query: "list[float] | models.SparseVector",
        using: str,
        k: int,
        where: Filter,
        with_payload: bool | list[str],
    ) -> "list[models.ScoredPoint]":
        conditions = _conditions(where)
        return self._read(
            lambda: (
                self._client.query_points(
                    self._collection,
                    query=query,
                    using=using,
                    query_filter=conditions,
                    limit=k,
                    with_payload=with_payload,
                ).points
            )
        )

    def _scroll(self, where: "models.Filter | None", with_vectors: bool | list[str]) -> Iterator[Any]:
        offset: Any = None
        while True:
            records, offset = self._page(where, with_vectors, offset)
            yield from records
            if offset is None:
                return

    def _page(self, where: "models.Filter | None", with_vectors: bool | list[str], offset: Any) -> tuple[Any, Any]:
        return self._read(
            lambda: self._client.scroll(
                self._collection,
                scroll_filter=where,
                limit=_BATCH,
                offset=offset,
                with_payload=True,
                with_vectors=with_vectors,
            )
        )

    def _count(self, where: "models.Filter | None") -> int:
        return self._read(lambda: self._client.count(self._collection, count_filter=where, exact=True).count)

    def _read(self, ask: Callable[[], Answer]) -> Answer:
        with self._turn, said_by(self._host):
            return retrying(ask, READ_PAUSES)

    def _write(self, ask: Callable[[], object]) -> None:
        with self._turn, said_by(self._host):
            retrying(ask, WRITE_PAUSES)


def _sparse(weights: Weights) -> "models.SparseVector":
    from qdrant_client import models

    return models.SparseVector(indices=list(weights), values=list(weights.values()))


def _of_revision(revision: str) -> "models.Filter":
    from qdrant_client import models

    return models.Filter(must=[server_condition(AnyOf(REVISION, [revision]))])


def _conditions(where: Filter) -> "models.Filter":
    from qdrant_client import models

    return models.Filter(
        must=[server_condition(one) for one in required(where)],
        must_not=[server_condition(one) for one in excluded(where)],
    )
