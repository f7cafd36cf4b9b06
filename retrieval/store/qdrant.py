"""The shared store: a collection on a Qdrant server or cluster, for several processes at once."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Self

from preprocessing.document import Chunk
from preprocessing.errors import FolioError
from retrieval.embed.base import Vectors
from retrieval.filters import Filter
from retrieval.hit import Hit, LegScore
from retrieval.store.payload import INDEXED, REVISION, AnyOf, excluded, from_payload, point_id, required, to_payload
from retrieval.store.server import MEMORY, ServerError, connect, host_of, said_by
from retrieval.store.vectors import check_passages, check_query, in_order

if TYPE_CHECKING:
    from qdrant_client import QdrantClient, models

_BATCH = 128
"""Points a request: below a megabyte with vectors of 1,024 numbers and chunks of 1,200 characters."""


class QdrantStore:
    """Chunks in one collection of a server; several threads and processes may use it."""

    def __init__(self, client: "QdrantClient", host: str, collection: str, dimension: int) -> None:
        """Take over a client and a collection that is there; use `open`."""
        self._client = client
        self._host = host
        self._collection = collection
        self._dimension = dimension
        # The in-process engine of the client breaks when threads write and read it at once; a server does not.
        self._turn = threading.RLock() if host == MEMORY else nullcontext()

    @classmethod
    def open(cls, url: str, api_key: str | None, collection: str, dimension: int) -> Self:
        """Open the collection at `http(s)://host:port`, or make it there with its indexes.

        Raises ServerError when the server is not there or refuses the key, FolioError when the collection
        holds vectors of another dimension.
        """
        client = connect(url, api_key)
        store = cls(client, host_of(url), collection, dimension)
        try:
            with store._asking():
                _make_ready(client, store._host, collection, dimension)
        except BaseException:
            client.close()
            raise
        return store

    def upsert(self, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        """Write the chunks; durable when it returns. Raises VectorError before anything is written."""
        from qdrant_client import models

        array = check_passages(chunks, vectors, self._dimension)
        points = [
            models.PointStruct(id=point_id(chunk.chunk_id), vector=vector.tolist(), payload=to_payload(chunk))
            for chunk, vector in zip(chunks, array, strict=True)
        ]
        for start in range(0, len(points), _BATCH):
            with self._asking():
                self._client.upsert(self._collection, points[start : start + _BATCH], wait=True)

    def delete_revision(self, revision: str) -> None:
        """Remove every chunk of one document state."""
        from qdrant_client import models

        condition = models.Filter(must=[_condition((REVISION, [revision]))])
        with self._asking():
            self._client.delete(self._collection, models.FilterSelector(filter=condition), wait=True)

    def search(self, vector: Vectors, k: int, where: Filter) -> list[Hit]:
        """Return the k nearest allowed chunks by cosine, best first, with leg `vector` filled in."""
        from qdrant_client import models

        query = check_query(vector, self._dimension)
        if k < 1:
            return []
        conditions = models.Filter(
            must=[_condition(any_of) for any_of in required(where)],
            must_not=[_condition(any_of) for any_of in excluded(where)],
        )
        with self._asking():
            points = self._client.query_points(
                self._collection, query=query.tolist(), query_filter=conditions, limit=k, with_payload=True
            ).points
        return [
            Hit(from_payload(point.payload or {}), point.score, {"vector": LegScore(rank, point.score)})
            for rank, point in enumerate(points, start=1)
        ]

    def get(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        """Return the chunks in the order of the ids; ids that are not there are left out."""
        ids = [point_id(chunk_id) for chunk_id in chunk_ids]
        if not ids:
            return []
        with self._asking():
            records = self._client.retrieve(self._collection, list(dict.fromkeys(ids)), with_payload=True)
        found = {str(record.id): record.payload or {} for record in records}
        return [from_payload(found[name]) for name in ids if name in found]

    def read_state(self, revision: str) -> tuple[list[Chunk], Vectors]:
        """Return the chunks of one document state by index, with their vectors, shape (chunks, dimension)."""
        from qdrant_client import models

        of_revision = models.Filter(must=[_condition((REVISION, [revision]))])
        return in_order(
            [(from_payload(record.payload or {}), record.vector) for record in self._scroll(of_revision, True)],
            self._dimension,
        )

    def scan(self) -> Iterator[Chunk]:
        """Yield every chunk, in no order, without vectors."""
        yield from (from_payload(record.payload or {}) for record in self._scroll(None, False))

    def _scroll(self, where: "models.Filter | None", with_vectors: bool) -> Iterator[Any]:
        offset: Any = None
        while True:
            with self._asking():
                records, offset = self._client.scroll(
                    self._collection,
                    scroll_filter=where,
                    limit=_BATCH,
                    offset=offset,
                    with_payload=True,
                    with_vectors=with_vectors,
                )
            yield from records
            if offset is None:
                return

    def count(self) -> int:
        """Return the number of chunks."""
        with self._asking():
            return self._client.count(self._collection, exact=True).count

    def close(self) -> None:
        """End the connection; calling it twice is harmless."""
        self._client.close()

    @contextmanager
    def _asking(self) -> Iterator[None]:
        with self._turn, said_by(self._host):
            yield


def _make_ready(client: "QdrantClient", host: str, collection: str, dimension: int) -> None:
    from qdrant_client import models

    if not client.collection_exists(collection):
        vectors = models.VectorParams(size=dimension, distance=models.Distance.COSINE)
        try:
            with said_by(host):
                client.create_collection(collection, vectors_config=vectors)
        except ServerError:
            # Two processes may begin at once; the slower one finds the collection made.
            if not client.collection_exists(collection):
                raise
    info = client.get_collection(collection)
    stored = info.config.params.vectors
    if not isinstance(stored, models.VectorParams) or stored.distance != models.Distance.COSINE:
        raise FolioError(
            f"collection {collection} on {host} was not made by Folio: set FOLIO_QDRANT_COLLECTION to a new name"
        )
    if stored.size != dimension:
        raise FolioError(
            f"collection {collection} on {host} holds vectors of {stored.size} dimensions, FOLIO_EMBED_MODEL gives "
            f"{dimension}: set the model it was made with, or run folio reindex"
        )
    if host != MEMORY:
        for field in sorted(set(INDEXED).difference(info.payload_schema)):
            client.create_payload_index(collection, field, models.PayloadSchemaType.KEYWORD, wait=True)


def _condition(any_of: AnyOf) -> "models.FieldCondition":
    from qdrant_client import models

    field, values = any_of
    return models.FieldCondition(key=field, match=models.MatchAny(any=values))
