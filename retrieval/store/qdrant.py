"""The shared store: a collection on a Qdrant server or cluster, for several processes at once."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any, Self, TypeVar

from qdrant_client import QdrantClient, models

from preprocessing.document import Chunk
from preprocessing.errors import FolioError
from retrieval.embed.embedder import Vectors
from retrieval.filters import Filter
from retrieval.hit import Hit, LegScore
from retrieval.settings import RetrievalSettings
from retrieval.store.keywords import Scored, Weights, best_first, passage_weights, question_weights
from retrieval.store.payload import (
    REVISION,
    AnyOf,
    Between,
    Condition,
    excluded,
    from_payload,
    point_id,
    required,
    to_payload,
)
from retrieval.store.server import (
    KEYWORD,
    MEMORY,
    READ_PAUSES,
    VECTOR,
    WRITE_PAUSES,
    CollectionShape,
    connect,
    host_of,
    make_ready,
    retrying,
    said_by,
)
from retrieval.store.store import check_passages, check_query, in_order

Answer = TypeVar("Answer")

_BATCH = 128
"""Points a request: a few megabytes of JSON with vectors of 1,024 numbers, and a server takes 32."""


def open_collection(settings: RetrievalSettings, name: str, dimension: int) -> "QdrantStore":
    """Open the collection of that name on the server of the settings, or make it there."""
    if not settings.qdrant_url:
        raise FolioError("FOLIO_QDRANT_URL is not set; a right one is http://localhost:6333")
    key = settings.qdrant_api_key.get_secret_value() if settings.qdrant_api_key else None
    shape = CollectionShape(dimension, settings.qdrant_shard_number, settings.qdrant_replication_factor)
    return QdrantStore.open(settings.qdrant_url, key, name, shape)


class QdrantStore:
    """Chunks in one collection of a server, each a point with a dense vector and the sparse one of its keywords.

    Several threads and processes may use it.
    """

    def __init__(self, client: QdrantClient, host: str, collection: str, dimension: int) -> None:
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
        """Remove every chunk of one revision from both legs."""
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

    def read_revision(self, revision: str) -> tuple[list[Chunk], Vectors]:
        """Return the chunks of one revision by index, with their vectors, shape (chunks, dimension)."""
        records = self._scroll(_of_revision(revision), [VECTOR])
        return in_order(
            [(from_payload(record.payload or {}), record.vector[VECTOR]) for record in records], self._dimension
        )

    def scan(self) -> Iterator[Chunk]:
        """Yield every chunk, in no order, without vectors."""
        yield from (from_payload(record.payload or {}) for record in self._scroll(None, False))

    def count(self, revision: str | None = None) -> int:
        """Return the number of chunks, of one revision when it is given."""
        return self._count(_of_revision(revision) if revision is not None else None)

    def count_keyword(self) -> int:
        """Return the number of chunks that the keyword leg holds."""
        return self._count(models.Filter(must=[models.HasVectorCondition(has_vector=KEYWORD)]))

    def close(self) -> None:
        """End the connection; calling it twice is harmless."""
        self._client.close()

    def _point(self, chunk: Chunk, vector: list[float]) -> models.PointStruct:
        vectors = {VECTOR: vector, KEYWORD: _sparse(passage_weights(chunk))}
        return models.PointStruct(id=point_id(chunk.chunk_id), vector=vectors, payload=to_payload(chunk))

    def _nearest(
        self,
        query: list[float] | models.SparseVector,
        using: str,
        k: int,
        where: Filter,
        with_payload: bool | list[str],
    ) -> list[models.ScoredPoint]:
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

    def _scroll(self, where: models.Filter | None, with_vectors: bool | list[str]) -> Iterator[Any]:
        offset: Any = None
        while True:
            records, offset = self._page(where, with_vectors, offset)
            yield from records
            if offset is None:
                return

    def _page(self, where: models.Filter | None, with_vectors: bool | list[str], offset: Any) -> tuple[Any, Any]:
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

    def _count(self, where: models.Filter | None) -> int:
        return self._read(lambda: self._client.count(self._collection, count_filter=where, exact=True).count)

    def _read(self, ask: Callable[[], Answer]) -> Answer:
        with self._turn, said_by(self._host):
            return retrying(ask, READ_PAUSES)

    def _write(self, ask: Callable[[], object]) -> None:
        with self._turn, said_by(self._host):
            retrying(ask, WRITE_PAUSES)


def _sparse(weights: Weights) -> models.SparseVector:
    return models.SparseVector(indices=list(weights), values=list(weights.values()))


def _of_revision(revision: str) -> models.Filter:
    return models.Filter(must=[_condition(AnyOf(REVISION, [revision]))])


def _conditions(where: Filter) -> models.Filter:
    return models.Filter(
        must=[_condition(one) for one in required(where)],
        must_not=[_condition(one) for one in excluded(where)],
    )


def _condition(condition: Condition) -> models.Condition:
    """Return the condition as the client of a Qdrant server takes it."""
    if isinstance(condition, Between):
        bounds = models.Range(gte=condition.low, lte=condition.high)
        if condition.name is None:
            return models.FieldCondition(key=condition.field, range=bounds)
        named = models.FieldCondition(key="name", match=models.MatchAny(any=[condition.name]))
        inside = models.Filter(must=[named, models.FieldCondition(key="value", range=bounds)])
        return models.NestedCondition(nested=models.Nested(key=condition.field, filter=inside))
    exact = models.FieldCondition(key=condition.field, match=models.MatchAny(any=list(condition.values)))
    if not condition.beginnings:
        return exact
    beginnings = [
        models.FieldCondition(key=condition.field, match=models.MatchPrefix(prefix=text))
        for text in condition.beginnings
    ]
    return models.Filter(should=[exact, *beginnings])
