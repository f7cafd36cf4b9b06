"""A connection to a Qdrant server, whose failures are said in one line that names the host and never the key."""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from preprocessing.errors import FolioError

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

MEMORY = ":memory:"
"""Address of a store inside the process, for tests; nothing is kept."""

_log = logging.getLogger(__name__)
_TIMEOUT_SECONDS = 30


class ServerError(FolioError):
    """The Qdrant server could not do what was asked; the message says what to mend."""


def connect(url: str, api_key: str | None) -> "QdrantClient":
    """Return a client for the server; raises ServerError when it is not there or refuses the key."""
    # Imported late: the client takes most of a second to import, and the embedded store does without.
    from qdrant_client import QdrantClient

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
    import httpx
    from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
    from qdrant_client.http.exceptions import ApiException, ResponseHandlingException, UnexpectedResponse

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
