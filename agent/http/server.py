"""Runs the HTTP server: everything that can be wrong is found before it listens."""

import logging
import signal
import socket
import sys
from contextlib import closing, suppress
from typing import Any, Protocol

import sqlalchemy as sa
import uvicorn
from starlette.types import ASGIApp

from agent.assistant import Assistant
from agent.http.keys import KeyStore, open_database
from agent.http.middleware import is_loopback
from agent.settings import Settings, SettingsError
from retrieval.remote.address import EndpointBusy

logger = logging.getLogger(__name__)

_WAITING = 2048


class CreateApp(Protocol):
    """Makes the app that is served."""

    def __call__(self, assistant: Assistant, database: sa.Engine, *, on_loopback: bool) -> ASGIApp:
        """Return the app on an assistant; `on_loopback` says that nobody but this machine can reach it."""


def serve(settings: Settings, create_app: CreateApp) -> None:
    """Serve until SIGINT or SIGTERM, then finish the answers under way.

    Raises FolioError for whatever is wrong with the settings, the keys, the address or the models.
    """
    host, port = settings.http.host, settings.http.port
    database = open_database(settings)
    try:
        _check_keys(KeyStore(database), host)
        with closing(listening(host, port)) as sock, Assistant.open(settings) as assistant:
            try:
                assistant.prepare()
            except EndpointBusy as error:
                # Nothing here is set wrong, and it may be there when it is needed.
                logger.warning("%s", error)
            # A name may mean another address than it seems to.
            _run(create_app(assistant, database, on_loopback=is_loopback(sock.getsockname()[0])), sock)
    finally:
        database.dispose()


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens there. Raises SettingsError when that cannot be."""
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address, family=family, backlog=_WAITING)
    except OSError as error:
        raise SettingsError(
            f"cannot listen on {host} port {port} ({error.strerror}); choose another with --host and --port"
        ) from None


def log_config() -> dict[str, Any]:
    """Return the logging of a server: lines on standard error, each with the id of its request."""
    line = "%(asctime)s %(levelname)s %(name)s [%(request_id)s] %(message)s"
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"request_id": {"()": "agent.http.middleware.WithRequestId"}},
        "formatters": {"line": {"format": line}},
        "handlers": {
            "stderr": {
                "class": "logging.StreamHandler",
                "stream": "ext://sys.stderr",
                "formatter": "line",
                "filters": ["request_id"],
            }
        },
        "loggers": {name: {"level": "INFO"} for name in ("agent", "retrieval", "preprocessing", "uvicorn")},
        "root": {"level": "WARNING", "handlers": ["stderr"]},
    }


def _check_keys(keys: KeyStore, host: str) -> None:
    if not is_loopback(host) and not any(key.revoked_at is None for key in keys.all()):
        raise SettingsError(
            f"{host} can be reached from other machines, and there are no keys; make one with "
            "folio keys add NAME, or serve on 127.0.0.1"
        )


def _run(app: ASGIApp, sock: socket.socket) -> None:
    # The log of requests is the app's own, with their ids. A Server header tells strangers too much.
    config = uvicorn.Config(app, log_config=log_config(), access_log=False, server_header=False)
    server = uvicorn.Server(config)
    name, port = sock.getsockname()[:2]
    sys.stderr.write(f"Folio answers at http://{f'[{name}]' if ':' in name else name}:{port}\n")
    # uvicorn raises the signal again when all is finished; the assistant is still to be closed then.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with suppress(KeyboardInterrupt):
        server.run([sock])
