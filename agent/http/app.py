"""The HTTP server as an ASGI app."""

from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from importlib.metadata import version

import sqlalchemy as sa
from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.middleware.cors import CORSMiddleware
from starlette.routing import Route

from agent.assistant import Assistant
from agent.http import chat, documents, health, openai_shape, page, problems, search, sections, sessions
from agent.http.body_limit import BodyLimit
from agent.http.door import Door
from agent.http.guard import Guard
from agent.http.keys import KeyStore
from agent.http.openapi import DESCRIPTION, describe
from agent.http.owners import SessionOwners
from agent.http.rate_limit import RateLimit
from agent.http.request_ids import HEADER, RequestIds
from agent.http.upload_states import UploadStates
from agent.http.uploads import Uploads
from agent.mcp.endpoint import PATH, Endpoint


def create_app(assistant: Assistant, database: sa.Engine, *, on_loopback: bool) -> FastAPI:
    """Return the app on an assistant; closing the assistant and the database is for the caller.

    `on_loopback` says that nobody but this machine can reach it: then it is open until a key is made.
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

    # One process owns the folder of an index: who serves it over HTTP serves agents of other programs too.
    tools = Endpoint(assistant, door.owners)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        async with tools.running():
            yield
        # Answers under way and uploads that were accepted are finished.
        await run_in_threadpool(door.answers.shutdown)
        await run_in_threadpool(door.uploads.close)

    app = FastAPI(
        title="Folio",
        version=version("folio"),
        description=DESCRIPTION,
        lifespan=lifespan,
        # Their pages load scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
    )
    app.state.door = door
    for part in (health, chat, search, documents, sections, sessions, openai_shape):
        app.include_router(part.router)
    page.install(app)
    app.router.routes.append(Route(PATH, tools))
    problems.install(app)
    describe(app)

    # The last one added is the first that a request meets.
    app.add_middleware(BodyLimit, max_file_bytes=settings.max_upload_bytes)
    app.add_middleware(
        Guard,
        keys=KeyStore(database),
        limit=RateLimit(settings.requests_per_minute),
        on_loopback=on_loopback,
        origins=settings.origins,
    )
    if settings.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.origins,
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["Authorization", "Content-Type", HEADER],
            expose_headers=[HEADER, "Location", "Retry-After"],
        )
    app.add_middleware(RequestIds)
    return app
