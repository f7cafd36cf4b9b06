"""A collection on a Qdrant server: made with its vectors and indexes, or checked to be one of ours."""

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from preprocessing.errors import FolioError
from retrieval.store.payload import INDEXED, IndexKind
from retrieval.store.server import MEMORY, ServerError, said_by

if TYPE_CHECKING:
    from qdrant_client import QdrantClient, models

VECTOR, KEYWORD = "vector", "keyword"
"""Names of the dense and of the sparse vector of a point, which are those of the legs."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CollectionShape:
    """What a collection is made with."""

    dimension: int
    shard_number: int | None = None
    """Parts that a cluster spreads over its nodes; None leaves it to the server."""
    replication_factor: int | None = None
    """Copies of each part; None leaves it to the server, which keeps one."""


def make_ready(client: "QdrantClient", host: str, collection: str, shape: CollectionShape) -> None:
    """Make the collection when it is not there, with all its indexes.

    Raises FolioError when it is there and holds other vectors.
    """
    if not client.collection_exists(collection):
        try:
            with said_by(host):
                _make(client, collection, shape)
        except ServerError:
            # Two processes may begin at once; the slower one finds the collection made.
            if not client.collection_exists(collection):
                raise
    info = client.get_collection(collection)
    _check(info.config.params, host, collection, shape)
    if host != MEMORY:
        # Before the first point: the graph of the vectors is built with ways through what a filter leaves.
        for field in sorted(set(INDEXED).difference(info.payload_schema)):
            _make_index(client, collection, field)


def _make(client: "QdrantClient", collection: str, shape: CollectionShape) -> None:
    from qdrant_client import models

    client.create_collection(
        collection,
        vectors_config={VECTOR: models.VectorParams(size=shape.dimension, distance=models.Distance.COSINE)},
        sparse_vectors_config={KEYWORD: models.SparseVectorParams(modifier=models.Modifier.IDF)},
        shard_number=shape.shard_number,
        replication_factor=shape.replication_factor,
    )


def _make_index(client: "QdrantClient", collection: str, field: str) -> None:
    from qdrant_client import models

    schemas: dict[IndexKind, models.PayloadSchemaType | models.KeywordIndexParams] = {
        "keyword": models.PayloadSchemaType.KEYWORD,
        "prefix": models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, prefix=True),
        "number": models.PayloadSchemaType.FLOAT,
    }
    client.create_payload_index(collection, field, schemas[INDEXED[field]], wait=True)


def _check(stored: "models.CollectionParams", host: str, collection: str, shape: CollectionShape) -> None:
    from qdrant_client import models

    dense = stored.vectors.get(VECTOR) if isinstance(stored.vectors, dict) else None
    sparse = (stored.sparse_vectors or {}).get(KEYWORD)
    if (
        dense is None
        or dense.distance != models.Distance.COSINE
        or sparse is None
        or sparse.modifier != models.Modifier.IDF
    ):
        raise FolioError(
            f"collection {collection} on {host} was not made by this Folio: set FOLIO_QDRANT_COLLECTION to a new name"
        )
    if dense.size != shape.dimension:
        raise FolioError(
            f"collection {collection} on {host} holds vectors of {dense.size} dimensions, FOLIO_EMBED_MODEL gives "
            f"{shape.dimension}: set the model it was made with, or run folio reindex"
        )
    for name in ("shard_number", "replication_factor"):
        wanted, there = getattr(shape, name), getattr(stored, name)
        if wanted and there and wanted != there:
            _log.warning(
                "collection %s on %s has a %s of %d, not the %d of FOLIO_QDRANT_%s, which shapes new collections only",
                *(collection, host, name.replace("_", " "), there, wanted, name.upper()),
            )
