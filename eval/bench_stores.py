"""The store in a folder: Folio's, and the local mode of `qdrant-client`, with the same points and the same filter."""

import zlib
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from eval.bench_inputs import (
    BUILD,
    DIMENSION,
    FILTERED,
    QUERY,
    REOPEN,
    Figures,
    make_chunks,
    per_query,
    random_vectors,
    timed,
)
from preprocessing.document import Chunk
from retrieval.embed.base import Vectors
from retrieval.filters import Filter
from retrieval.store.edge import EdgeStore
from retrieval.store.payload import FACETS, facet, point_id, to_payload

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

_DEPARTMENTS = 10
_ONE_OF_THEM = "3"
_BATCH = 512
_K = 20


def store_folio(size: int) -> Figures:
    """Fill the embedded store, search it with and without a filter, and open it again."""
    chunks, vectors = _points(size)
    tenth = Filter.of({"department": (_ONE_OF_THEM,)})
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        with closing(EdgeStore.open(Path(folder), DIMENSION)) as store:
            _, built = timed(lambda: store.upsert(chunks, vectors))
            query = per_query(lambda text: store.search(vectors[_row_of(text, size)], _K, Filter()))
            filtered = per_query(lambda text: store.search(vectors[_row_of(text, size)], _K, tenth))
        again, reopened = timed(lambda: EdgeStore.open(Path(folder), DIMENSION))
        again.close()
    return {BUILD: built, QUERY: query, FILTERED: filtered, REOPEN: reopened}


def store_qdrant_path(size: int) -> Figures:
    """Do the same with `QdrantClient(path=…)`."""
    from qdrant_client import QdrantClient, models

    chunks, vectors = _points(size)
    department = models.FieldCondition(key=FACETS, match=models.MatchAny(any=[facet("department", _ONE_OF_THEM)]))
    tenth = models.Filter(must=[department])

    def search(client: QdrantClient, text: str, where: models.Filter | None) -> object:
        return client.query_points("c", vectors[_row_of(text, size)].tolist(), query_filter=where, limit=_K)

    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        with closing(QdrantClient(path=folder)) as client:
            client.create_collection("c", models.VectorParams(size=DIMENSION, distance=models.Distance.COSINE))
            _, built = timed(lambda: _fill(client, chunks, vectors))
            query = per_query(lambda text: search(client, text, None))
            filtered = per_query(lambda text: search(client, text, tenth))
        again, reopened = timed(lambda: QdrantClient(path=folder))
        again.close()
    return {BUILD: built, QUERY: query, FILTERED: filtered, REOPEN: reopened}


def _row_of(question: str, size: int) -> int:
    return zlib.crc32(question.encode()) % size


def _points(size: int) -> tuple[list[Chunk], Vectors]:
    chunks = [
        replace(chunk, metadata={"department": str(number % _DEPARTMENTS)})
        for number, chunk in enumerate(make_chunks(size))
    ]
    return chunks, random_vectors(size)


def _fill(client: "QdrantClient", chunks: Sequence[Chunk], vectors: Vectors) -> None:
    from qdrant_client import models

    for start in range(0, len(chunks), _BATCH):
        client.upsert(
            "c",
            [
                models.PointStruct(id=point_id(chunk.chunk_id), vector=vector, payload=to_payload(chunk))
                for chunk, vector in zip(
                    chunks[start : start + _BATCH], vectors[start : start + _BATCH].tolist(), strict=True
                )
            ],
        )
