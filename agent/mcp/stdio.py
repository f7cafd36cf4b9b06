"""The MCP server on standard input and output, for a client that starts it."""

import logging
import os
import signal
import sys
from typing import Any

import anyio
from mcp.server.stdio import stdio_server

from agent.assistant import Assistant
from agent.mcp.call import Call, Waiting
from agent.mcp.lending import Lending
from agent.mcp.server import Context, create_server
from agent.settings import Settings
from preprocessing.visibility import groups_of

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
