"""The HTTP server as an ASGI app: its routes, the page at `/`, and what it says of itself at `/openapi.json`."""

from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

import sqlalchemy as sa
from fastapi import FastAPI, Request
from fastapi.openapi.utils import get_openapi
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.routing import Route
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from agent.assistant import Assistant
from agent.http import chat, documents, health, openai_shape, problems, sections, sessions
from agent.http.door import Door
from agent.http.keys import SessionOwners
from agent.http.middleware import HEADER, STATIC, BodyLimit, guarding
from agent.http.problems import Problem
from agent.http.uploads import Uploads, UploadStates

WEB = Path(__file__).parents[1] / "web"

CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        # No script of the page can turn text into markup, by whatever mistake.
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]
)
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    # Asked for each time, and sent only when it is another: a new release is never half old.
    "Cache-Control": "no-cache",
}


DESCRIPTION = """\
Answers from your documents, with sources.

Every error is a problem details object (RFC 9457) whose `detail` says in one line what to mend. Where keys were made
with `folio keys add`, each request carries one as `Authorization: Bearer KEY`; its groups say which documents are
searched, and its role what may be done. Sessions, traces and uploads belong to the key that began them.
"""
TAGS = [
    {"name": "chat", "description": "Questions and answers."},
    {"name": "documents", "description": "What is answered from."},
    {"name": "search", "description": "Passages without an answer."},
    {"name": "sessions", "description": "Conversations, and how each answer came about."},
    {"name": "openai", "description": "For front ends that speak to OpenAI-compatible models."},
    {"name": "server", "description": "Whether all is well."},
]


class ServedBeside(Protocol):
    """An ASGI app at a path of its own, that runs while the server does."""

    path: str

    def running(self) -> AbstractAsyncContextManager[None]:
        """Answer requests until the block is left."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""


def create_app(
    assistant: Assistant, database: sa.Engine, *, on_loopback: bool, tools: ServedBeside | None = None
) -> FastAPI:
    """Return the app on an assistant; closing the assistant and the database is for the caller.

    `on_loopback` says that nobody but this machine can reach it: then it is open until a key is made. `tools` are
    served beside it: one process owns the folder of an index.
    """
    settings = assistant.settings.http
    states = UploadStates(database)
    states.give_up_lost()
    door = Door(
        assistant=assistant,
        owners=SessionOwners(database, assistant.sessions),
        uploads=Uploads(states),
        answers=ThreadPoolExecutor(settings.answers_at_once, thread_name_prefix="answer"),
    )

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        async with tools.running() if tools else nullcontext():
            yield
        # Answers under way and uploads that were accepted are finished.
        await run_in_threadpool(door.answers.shutdown)
        await run_in_threadpool(door.uploads.close)

    ids, guard = guarding(settings, database, on_loopback=on_loopback)
    cors = Middleware(
        CORSMiddleware,
        allow_origins=settings.origins,
        allow_methods=["GET", "POST", "DELETE"],
        allow_headers=["Authorization", "Content-Type", HEADER],
        expose_headers=[HEADER, "Location", "Retry-After"],
    )
    limit = Middleware(BodyLimit, max_file_bytes=settings.max_upload_bytes)
    app = FastAPI(
        title="Folio",
        version=version("folio"),
        description=DESCRIPTION,
        lifespan=lifespan,
        middleware=[ids, cors, guard, limit] if settings.origins else [ids, guard, limit],
        # Their pages load scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
    )
    app.state.door = door
    for part in (health, chat, documents, sections, sessions, openai_shape):
        app.include_router(part.router)
    _serve_page(app)
    if tools:
        app.router.routes.append(Route(tools.path, tools))
    problems.install(app)
    app.openapi = partial(_openapi, app)  # type: ignore[method-assign]  # the way that FastAPI offers
    return app


class _Files(StaticFiles):
    def file_response(self, *arguments: Any, **named: Any) -> Response:
        response = super().file_response(*arguments, **named)
        response.headers.update(HEADERS)
        return response


def _serve_page(app: FastAPI) -> None:
    # The page and its files are the same for all, so they need no key.
    files = _Files(directory=WEB)

    async def page(request: Request) -> Response:
        return await files.get_response("index.html", request.scope)

    app.add_route("/", page, ["GET", "HEAD"], include_in_schema=False)
    app.mount(STATIC.rstrip("/"), files, name="static")


def _openapi(app: FastAPI) -> dict[str, Any]:
    if app.openapi_schema is None:
        app.openapi_schema = get_openapi(
            title=app.title, version=app.version, description=app.description, routes=app.routes, tags=TAGS
        )
        schemas = app.openapi_schema.setdefault("components", {}).setdefault("schemas", {})
        whole = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas.update(whole.pop("$defs", {}))
        schemas["Problem"] = whole
    return app.openapi_schema
