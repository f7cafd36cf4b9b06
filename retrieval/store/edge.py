"""The embedded store: a Qdrant Edge shard in a folder, owned by one process."""

import json
import logging
import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self, TextIO

import portalocker
import qdrant_edge as edge

from preprocessing.document import Chunk
from preprocessing.errors import FolioError
from retrieval.embed.embedder import Vectors
from retrieval.filters import Filter
from retrieval.hit import Hit, LegScore
from retrieval.settings import RetrievalSettings
from retrieval.store.keywords import Scored, Weights, best_first, passage_weights, question_weights, token_index
from retrieval.store.payload import (
    INDEXED,
    REVISION,
    AnyOf,
    Between,
    Condition,
    IndexKind,
    excluded,
    from_payload,
    point_id,
    required,
    to_payload,
)
from retrieval.store.store import StoreLocked, check_passages, check_query, in_order


class FolderLock:
    """Holds the lock of a folder from creation until `release`.

    The file stays behind on purpose: what counts is the lock on it, and removing the file would let two
    processes hold locks on two files of one name.
    """

    def __init__(self, folder: Path) -> None:
        """Take the lock; raises StoreLocked when it is held."""
        # Opened for appending: the holder's number must survive a second process that only looks.
        file = (folder / "store.lock").open("a+", encoding="utf-8")
        try:
            portalocker.lock(file, portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING)
        except portalocker.LockException as error:
            holder = _holder(file)
            file.close()
            raise StoreLocked(
                f"store {folder} is in use by process {holder}: "
                "stop that process, or set FOLIO_QDRANT_URL so that several share a Qdrant server"
            ) from error
        file.seek(0)
        file.truncate()
        file.write(str(os.getpid()))
        file.flush()
        self._file = file

    def release(self) -> None:
        """Let another process in; calling it twice is harmless."""
        self._file.close()


def _holder(file: TextIO) -> str:
    try:
        file.seek(0)
        return file.read().strip() or "unknown"
    except OSError:
        # Windows refuses to read a locked file.
        return "unknown"


_CONFIG = "edge_config.json"
KEYWORD = "keyword"
"""Name of the sparse vector of a point; the dense one has none."""
_NEVER = 2**40
"""Kilobytes of vectors before a graph is built. Search stays exact: no recall is lost to a graph or to a filter."""


def open_shard(folder: Path, dimension: int) -> edge.EdgeShard:
    """Return the shard in the folder, made when there is none; the caller holds the lock of the folder.

    Raises FolioError when it holds vectors of another dimension or cannot be read.
    """
    path = folder / "shard"
    try:
        if (path / _CONFIG).is_file():
            _check_dimension(path, folder, dimension)
            shard = edge.EdgeShard.load(str(path))
            if not _config(path).get("sparse_vectors"):
                shard.update(edge.UpdateOperation.create_sparse_vector(KEYWORD, modifier=edge.Modifier.Idf))
            shard.optimize()  # gives back the room of deleted chunks
        else:
            config = edge.EdgeConfig(
                vectors=edge.EdgeVectorParams(size=dimension, distance=edge.Distance.Cosine),
                sparse_vectors={KEYWORD: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)},
                optimizers=edge.EdgeOptimizersConfig(indexing_threshold=_NEVER),
            )
            shard = edge.EdgeShard.create(str(path), config)
    except FolioError:
        raise
    except Exception as error:  # the engine raises no narrower type
        raise FolioError(
            f"store {folder} cannot be opened ({error}): restore a backup, or remove the folder and ingest again"
        ) from error
    schemas: dict[IndexKind, edge.PayloadSchemaType | edge.KeywordIndexParams] = {
        "keyword": edge.PayloadSchemaType.Keyword,
        "prefix": edge.KeywordIndexParams(prefix=True),
        "number": edge.PayloadSchemaType.Float,
    }
    # After a load too: a process that died while it made the store may have left some out.
    for field in sorted(set(INDEXED).difference(shard.info().payload_schema)):
        shard.update(edge.UpdateOperation.create_field_index(field, schemas[INDEXED[field]]))
    shard.flush()
    return shard


def _check_dimension(path: Path, folder: Path, dimension: int) -> None:
    # The engine does not tell the size of its vectors, but keeps it in this file.
    stored = _config(path)["vectors"][""]["size"]
    if stored != dimension:
        raise FolioError(
            f"store {folder} holds vectors of {stored} dimensions, FOLIO_EMBED_MODEL gives {dimension}: "
            "set the model it was made with, or run folio reindex"
        )


def _config(path: Path) -> dict[str, Any]:
    config: dict[str, Any] = json.loads((path / _CONFIG).read_text(encoding="utf-8"))
    return config


_log = logging.getLogger(__name__)
_BATCH = 512
_LARGE = 200_000
"""Chunks above which an exact search takes tens of milliseconds and a server is the better home."""


def open_in_folder(settings: RetrievalSettings, name: str, dimension: int) -> "EdgeStore":
    """Open the store in the folder of that name in FOLIO_HOME, or make it there."""
    return EdgeStore.open(settings.home / name, dimension)


class EdgeStore:
    """Chunks in a folder on this machine; several threads of the one process may use it."""

    def __init__(self, shard: edge.EdgeShard, dimension: int, lock: FolderLock) -> None:
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
        """Remove every chunk of one revision from both legs."""
        condition = edge.Filter(must=[_condition(AnyOf(REVISION, [revision]))])
        # Overwritten first: until the next start the engine counts the words of removed points in the IDF.
        nothing: dict[str, Any] = {KEYWORD: _sparse({token_index(""): 1.0})}
        emptied = [edge.PointVectors(record.id, nothing) for record in self._scroll(condition, False)]
        with self._turnstile:
            if emptied:
                self._shard.update(edge.UpdateOperation.update_vectors(emptied))
            self._shard.update(edge.UpdateOperation.delete_points_by_filter(condition))
            self._shard.flush()

    def search(self, vector: Vectors, k: int, where: Filter) -> list[Hit]:
        """Return the k nearest allowed chunks by cosine, best first, with leg `vector` filled in."""
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

    def read_revision(self, revision: str) -> tuple[list[Chunk], Vectors]:
        """Return the chunks of one revision by index, with their vectors, shape (chunks, dimension)."""
        of_revision = edge.Filter(must=[_condition(AnyOf(REVISION, [revision]))])
        return in_order(
            [(from_payload(record.payload or {}), record.vector[""]) for record in self._scroll(of_revision, True)],
            self._dimension,
        )

    def scan(self) -> Iterator[Chunk]:
        """Yield every chunk, in no order, without vectors."""
        yield from (from_payload(record.payload or {}) for record in self._scroll(None, False))

    def _scroll(self, where: edge.Filter | None, with_vector: bool) -> Iterator[Any]:
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
        """Return the number of chunks, of one revision when it is given."""
        where = None if revision is None else edge.Filter(must=[_condition(AnyOf(REVISION, [revision]))])
        return self._reading().count(edge.CountRequest(exact=True, filter=where))

    def count_keyword(self) -> int:
        """Return the number of chunks that the keyword leg holds."""
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

    def _reading(self) -> edge.EdgeShard:
        with self._turnstile:
            return self._shard


def _filter(where: Filter) -> edge.Filter:
    return edge.Filter(
        must=[_condition(one) for one in required(where)],
        must_not=[_condition(one) for one in excluded(where)],
    )


def _vectors(chunk: Chunk, vector: Vectors) -> "dict[str, Any]":
    return {"": vector.tolist(), KEYWORD: _sparse(passage_weights(chunk))}


def _sparse(weights: Weights) -> edge.SparseVector:
    return edge.SparseVector(list(weights), list(weights.values()))


def _condition(condition: Condition) -> edge.FieldCondition | edge.NestedCondition | edge.Filter:
    """Return the condition as the embedded engine takes it."""
    if isinstance(condition, Between):
        bounds = edge.RangeFloat(gte=condition.low, lte=condition.high)
        if condition.name is None:
            return edge.FieldCondition(key=condition.field, range=bounds)
        named = edge.FieldCondition(key="name", match=edge.MatchAny([condition.name]))
        return edge.NestedCondition(
            condition.field, edge.Filter(must=[named, edge.FieldCondition(key="value", range=bounds)])
        )
    exact = edge.FieldCondition(key=condition.field, match=edge.MatchAny(list(condition.values)))
    if not condition.beginnings:
        return exact
    beginnings = [
        edge.FieldCondition(key=condition.field, match=edge.MatchPrefix(text)) for text in condition.beginnings
    ]
    return edge.Filter(should=[exact, *beginnings])
