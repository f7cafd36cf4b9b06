"""A connection to a Qdrant server, whose failures are said in one line that names the host and never the key."""

import logging
import random
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from typing import TypeVar
from urllib.parse import urlsplit

import httpx
from qdrant_client import QdrantClient, models
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ApiException, ResponseHandlingException, UnexpectedResponse
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt

from preprocessing.errors import FolioError
from retrieval.store.payload import INDEXED, IndexKind
from retrieval.store.store import ServerError

MEMORY = ":memory:"
"""Address of a store inside the process, for tests; nothing is kept."""

_log = logging.getLogger(__name__)
_TIMEOUT_SECONDS = 30


def connect(url: str, api_key: str | None) -> QdrantClient:
    """Return a client for the server; raises ServerError when it is not there or refuses the key."""
    if url == MEMORY:
        return QdrantClient(MEMORY)
    host = host_of(url)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        client = QdrantClient(url=url, api_key=api_key, timeout=_TIMEOUT_SECONDS, check_compatibility=False)
    for warning in caught:
        _log.warning("Qdrant server %s: %s", host, warning.message)
    try:
        with said_by(host):
            _check_version(host, client.info().version)
    except ServerError:
        client.close()
        raise
    return client


def host_of(url: str) -> str:
    """Return the host and port of the address, without a user name or password in it."""
    if url == MEMORY:
        return MEMORY
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or parts.scheme not in ("http", "https"):
        raise ServerError("FOLIO_QDRANT_URL is not an address; a right one is http://localhost:6333")
    return f"{host}:{port}" if port else host


@contextmanager
def said_by(host: str) -> Iterator[None]:
    """Turn what the client raises into a ServerError about this host."""
    try:
        yield
    except UnexpectedResponse as error:
        if error.status_code in (401, 403):
            raise ServerError(f"Qdrant server {host} refuses the key: correct FOLIO_QDRANT_API_KEY") from error
        reason = " ".join(error.content.decode("utf-8", "replace").split()) or error.reason_phrase
        raise ServerError(f"Qdrant server {host} answered {error.status_code}: {reason}") from error
    except ResourceExhaustedResponse as error:
        raise ServerError(
            f"Qdrant server {host} has too many requests: ask again in {error.retry_after_s} seconds"
        ) from error
    except ResponseHandlingException as error:
        reason = " ".join(str(error.source).split()) or type(error.source).__name__
        if not isinstance(error.source, httpx.TransportError):
            raise ServerError(
                f"Qdrant server {host} answered in a form that is not known here ({reason}): "
                "bring server and qdrant-client within one minor version"
            ) from error
        raise ServerError(
            f"Qdrant server {host} does not answer ({reason}): start it, or correct FOLIO_QDRANT_URL"
        ) from error
    except ApiException as error:
        raise ServerError(f"Qdrant server {host} failed: {' '.join(str(error).split())}") from error


def _check_version(host: str, server: str) -> None:
    client = version("qdrant-client")
    (client_major, client_minor), (server_major, server_minor) = _release(client), _release(server)
    # Qdrant keeps neighbouring minor versions compatible, no others.
    if client_major != server_major or abs(client_minor - server_minor) > 1:
        _log.warning(
            "Qdrant server %s has version %s and the client %s: answers may be incomplete; bring them within one minor "
            "version",
            host,
            server,
            client,
        )


def _release(text: str) -> tuple[int, int]:
    major, minor, *_ = text.split(".")
    return int(major), int(minor)


VECTOR, KEYWORD = "vector", "keyword"
"""Names of the dense and of the sparse vector of a point, which are those of the legs."""


@dataclass(frozen=True, slots=True)
class CollectionShape:
    """What a collection is made with."""

    dimension: int
    shard_number: int | None = None
    """Parts that a cluster spreads over its nodes; None leaves it to the server."""
    replication_factor: int | None = None
    """Copies of each part; None leaves it to the server, which keeps one."""


def make_ready(client: QdrantClient, host: str, collection: str, shape: CollectionShape) -> None:
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


def _make(client: QdrantClient, collection: str, shape: CollectionShape) -> None:
    client.create_collection(
        collection,
        vectors_config={VECTOR: models.VectorParams(size=shape.dimension, distance=models.Distance.COSINE)},
        sparse_vectors_config={KEYWORD: models.SparseVectorParams(modifier=models.Modifier.IDF)},
        shard_number=shape.shard_number,
        replication_factor=shape.replication_factor,
    )


def _make_index(client: QdrantClient, collection: str, field: str) -> None:
    schemas: dict[IndexKind, models.PayloadSchemaType | models.KeywordIndexParams] = {
        "keyword": models.PayloadSchemaType.KEYWORD,
        "prefix": models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, prefix=True),
        "number": models.PayloadSchemaType.FLOAT,
    }
    client.create_payload_index(collection, field, schemas[INDEXED[field]], wait=True)


def _check(stored: models.CollectionParams, host: str, collection: str, shape: CollectionShape) -> None:
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


Answer = TypeVar("Answer")

READ_PAUSES = (0.2, 0.6)
"""Seconds before each new try of a search: a person is waiting."""
WRITE_PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0)
"""Seconds before each new try of a write: a node that restarts takes several, and a long ingest is worth the wait."""
_LONGEST = 30
"""Seconds that a server may ask to be left alone; one that asks for more has to be told to a person."""


def retrying(ask: Callable[[], Answer], pauses: Sequence[float]) -> Answer:
    """Return what `ask` returns; it must be harmless to ask twice, because an answer may be lost on its way.

    Tried again after: too many requests (429), a failure of the server (5xx), a timeout, a broken connection.
    """

    def pause(tried: RetryCallState) -> float:
        asked = _pause_asked(tried.outcome.exception()) if tried.outcome else 0.0
        # It is asked for after the last attempt too, where it is not slept.
        longest = pauses[min(tried.attempt_number, len(pauses)) - 1] if pauses else 0.0
        # Clients that failed at one moment must not come back at one moment.
        return max(asked or 0.0, longest * random.uniform(0.5, 1))

    def may_pass(error: BaseException) -> bool:
        asked = _pause_asked(error)
        return asked is not None and asked <= _LONGEST

    again = Retrying(
        stop=stop_after_attempt(len(pauses) + 1),
        wait=pause,
        retry=retry_if_exception(may_pass),
        sleep=lambda seconds: time.sleep(seconds),
        reraise=True,
    )
    return again(ask)


def _pause_asked(error: BaseException | None) -> float | None:
    """Return the seconds that the server asked for, 0 when it named none, None when the failure will not pass."""
    if isinstance(error, ResourceExhaustedResponse):
        return error.retry_after_s
    if isinstance(error, UnexpectedResponse):
        return 0 if error.status_code == 429 or (error.status_code or 0) >= 500 else None
    if isinstance(error, ResponseHandlingException):
        return 0 if isinstance(error.source, httpx.TransportError) else None
    return None
