"""A Qdrant Edge shard on disk: opened, checked, or made with its indexes."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from preprocessing.errors import FolioError
from retrieval.store.payload import INDEXED, IndexKind

if TYPE_CHECKING:
    import qdrant_edge

_CONFIG = "edge_config.json"
KEYWORD = "keyword"
"""Name of the sparse vector of a point; the dense one has none."""
_NEVER = 2**40
"""Kilobytes of vectors before a graph is built. Search stays exact: no recall is lost to a graph or to a filter."""


def open_shard(folder: Path, dimension: int) -> "qdrant_edge.EdgeShard":
    """Return the shard in the folder, made when there is none; the caller holds the lock of the folder.

    Raises FolioError when it holds vectors of another dimension or cannot be read.
    """
    # Imported late: a native library of tens of megabytes that a Qdrant server makes needless.
    import qdrant_edge as edge

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
