"""The MCP server over HTTP, beside the HTTP API, for whom the guard lets in."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext

import sqlalchemy as sa
from fastapi import FastAPI
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from agent.assistant import Assistant
from agent.http import app as api
from agent.http.keys import Caller, SessionOwners
from agent.mcp.server import Context, create_server
from agent.mcp.tools import Call, Waiting


class Endpoint:
    """Answers requests that the guard let in."""

    path = "/mcp"

    def __init__(self, assistant: Assistant, owners: SessionOwners) -> None:
        def make_call(context: Context, waiting: Waiting) -> Call:
            assert context.request is not None
            caller: Caller = context.request.state.caller
            return Call(
                lambda: nullcontext(assistant), caller.groups, lambda name: owners.named(name, caller.id), waiting
            )

        self._server = create_server(make_call, at_once=assistant.settings.http.answers_at_once)
        self._sessions = StreamableHTTPSessionManager(self._server)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Answer requests until the block is left, as often as the app is started."""
        # The SDK's can be run once only.
        self._sessions = StreamableHTTPSessionManager(self._server)
        async with self._sessions.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["method"] not in ("POST", "DELETE"):
            # A stream without a request has nothing to tell here, and would keep the server from ending.
            await Response(status_code=405, headers={"Allow": "POST, DELETE"})(scope, receive, send)
            return
        # The SDK keeps a session of one user from the others.
        token = AccessToken(token="", client_id=scope["state"]["caller"].id, scopes=[])
        await self._sessions.handle_request({**scope, "user": AuthenticatedUser(token)}, receive, send)


def create_app(assistant: Assistant, database: sa.Engine, *, on_loopback: bool) -> FastAPI:
    """Return the whole HTTP API with the endpoint beside it, as `agent.http.app` has it."""
    endpoint = Endpoint(assistant, SessionOwners(database, assistant.sessions))
    return api.create_app(assistant, database, on_loopback=on_loopback, tools=endpoint)
