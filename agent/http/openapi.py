"""The OpenAPI document: what the routes say, with the problems that each may answer."""

from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from agent.http.problems import MEDIA_TYPE, Problem

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
_PROBLEM = {"$ref": "#/components/schemas/Problem"}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return what a route says of its problems: these, and those that any request with a key may have."""
    return {status: _described(status) for status in sorted({*statuses, 401, 403, 429, 500, 503})}


def describe(app: FastAPI) -> None:
    """Let the app describe itself at /openapi.json."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = get_openapi(
                title=app.title,
                version=app.version,
                description=app.description,
                routes=app.routes,
                tags=TAGS,
            )
            schemas = app.openapi_schema.setdefault("components", {}).setdefault("schemas", {})
            whole = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
            schemas.update(whole.pop("$defs", {}))
            schemas["Problem"] = whole
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]  # the way that FastAPI offers


def _described(status: int) -> dict[str, Any]:
    title = HTTPStatus(status).phrase
    return {"description": title, "content": {MEDIA_TYPE: {"schema": _PROBLEM}}}
