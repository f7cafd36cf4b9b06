"""The MCP server on standard input and output, for a client that starts it."""

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import anyio
from mcp.server.stdio import stdio_server

from agent.assistant import Assistant
from agent.mcp.server import Context, create_server
from agent.mcp.tools import Call, Waiting
from agent.settings import Settings
from preprocessing.visibility import groups_of


class Lending:
    """Lends the assistant to calls in any number of threads.

    One process at a time owns the folder of an index, and a client keeps its servers running all day: between calls,
    other commands must be able to use it.
    """

    def __init__(self, open_: Callable[[], Assistant], idle_seconds: float) -> None:
        self._open = open_
        self._idle_seconds = idle_seconds
        self._lock = threading.Lock()
        self._all_back = threading.Event()
        self._all_back.set()
        self._assistant: Assistant | None = None
        self._borrowers = 0
        self._timer: threading.Timer | None = None
        self._is_over = False

    @contextmanager
    def assistant(self) -> Iterator[Assistant]:
        """Lend the assistant for one call. Raises FolioError when it cannot be opened, as for an index in use."""
        with self._lock:
            self._stop_timer()
            assistant = self._assistant = self._assistant or self._open()
            self._borrowers += 1
            self._all_back.clear()
        try:
            yield assistant
        finally:
            with self._lock:
                self._borrowers -= 1
                if not self._borrowers:
                    self._wait_or_close()
                    self._all_back.set()

    def close(self) -> None:
        """Close the assistant, or let the last of the calls under way close it."""
        with self._lock:
            self._is_over = True
            self._stop_timer()
            self._close_unless_lent()

    def is_back_within(self, seconds: float) -> bool:
        """Wait so long for the calls under way; say whether all of them have ended."""
        return self._all_back.wait(seconds)

    def _wait_or_close(self) -> None:
        if self._is_over:
            self._close_unless_lent()
            return
        self._timer = threading.Timer(self._idle_seconds, self._close_when_idle)
        self._timer.daemon = True
        self._timer.start()

    def _close_when_idle(self) -> None:
        with self._lock:
            self._close_unless_lent()

    def _close_unless_lent(self) -> None:
        if self._assistant and not self._borrowers:
            self._assistant.close()
            self._assistant = None

    def _stop_timer(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None


IDLE_SECONDS = 60.0
"""After so long without a call the index is free for other commands."""
GRACE_SECONDS = 2.0
"""Calls under way when the client has gone may take so long to come to their next step, and to be written down."""


def serve(settings: Settings, viewer: list[str]) -> None:
    """Serve until standard input ends, on behalf of these groups. Raises SettingsError for a model that cannot be.

    Nothing but messages goes to standard output; what else is written there, by whatever part of the process, the SDK
    turns to standard error.
    """
    _ = settings.chat_model_name
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    lending, groups = Lending(lambda: Assistant.open(settings), IDLE_SECONDS), groups_of(viewer)

    def make_call(_context: Context, waiting: Waiting) -> Call:
        # Whoever starts the server could read every session at the command line too.
        return Call(lending.assistant, groups, lambda session: session, waiting)

    # A read of standard input cannot be interrupted, and the index is whole whenever the process ends.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if sys.stdin.isatty():
        sys.stderr.write("Folio waits for the messages of an MCP client on standard input; Ctrl-C ends it.\n")
    server = create_server(make_call, at_once=settings.http.answers_at_once)
    try:
        anyio.run(_serve, server)
    finally:
        lending.close()
    if not lending.is_back_within(GRACE_SECONDS):
        # What a thread waits for, such as a model, cannot be called off, and nobody waits for it any more.
        sys.stderr.flush()
        os._exit(0)


async def _serve(server: Any) -> None:
    async with stdio_server() as (received, sent):
        try:
            await server.run(received, sent, server.create_initialization_options())
        finally:
            # What was printed and not written yet must not follow the messages.
            sys.stdout.flush()
