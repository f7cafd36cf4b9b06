"""An HTTP server with nothing but MCP, behind the same guard and keys as the whole one."""

import sqlalchemy as sa
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route

from agent.assistant import Assistant
from agent.http import server
from agent.http.guard import Guard
from agent.http.keys import KeyStore
from agent.http.owners import SessionOwners
from agent.http.rate_limit import RateLimit
from agent.http.request_ids import RequestIds
from agent.mcp.endpoint import PATH, Endpoint
from agent.settings import Settings


def create_app(assistant: Assistant, database: sa.Engine, *, on_loopback: bool) -> Starlette:
    """Return an app with nothing but the endpoint; closing the assistant and the database is for the caller."""
    settings = assistant.settings.http
    endpoint = Endpoint(assistant, SessionOwners(database, assistant.sessions))
    guard = Middleware(
        Guard,
        keys=KeyStore(database),
        limit=RateLimit(settings.requests_per_minute),
        on_loopback=on_loopback,
        origins=settings.origins,
    )
    return Starlette(
        routes=[Route(PATH, endpoint)],
        middleware=[Middleware(RequestIds), guard],
        lifespan=lambda _app: endpoint.running(),
    )


def serve(settings: Settings) -> None:
    """Serve at the address of the HTTP settings. Raises FolioError for whatever is wrong before it listens."""
    server.serve(settings, create_app, PATH)
