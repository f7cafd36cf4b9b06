"""What goes wrong, as problem details (RFC 9457): one status and one line, never a stack trace."""

import json
import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import sqlalchemy as sa
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from agent.http.keys import UnknownSession
from agent.models.errors import ModelError, ModelTimeout
from agent.traces.kept import UnknownTrace
from preprocessing.errors import FolioError, LoadError
from retrieval.documents.catalogue import UnknownDocument
from retrieval.documents.database import DatabaseAway, DatabaseError
from retrieval.documents.lease import WriterBusy
from retrieval.filters import FilterError
from retrieval.ingest import UnsafeName
from retrieval.remote.address import EndpointError
from retrieval.search import SearchError
from retrieval.store.store import ServerError
from retrieval.text.dates import DateError

logger = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
_RETRY_SECONDS = "5"
_AWAY = (DatabaseAway, sa.exc.TimeoutError)
"""The database was lost, or all connections to it are busy."""

_STATUS: Mapping[type[FolioError], int] = {
    UnsafeName: 400,
    UnknownDocument: 404,
    UnknownSession: 404,
    UnknownTrace: 404,
    WriterBusy: 409,
    DateError: 422,
    FilterError: 422,
    LoadError: 422,
    SearchError: 422,
    ModelTimeout: 504,
    ModelError: 502,
    EndpointError: 502,
    ServerError: 502,
    DatabaseError: 502,
}


_PROBLEM = {"$ref": "#/components/schemas/Problem"}


class FieldProblem(BaseModel):
    """What is wrong with one field."""

    field: str
    message: str


class Problem(BaseModel):
    """Problem details (RFC 9457)."""

    model_config = ConfigDict(extra="allow")

    type: str = "about:blank"
    title: str
    """Name of the status."""
    status: int
    detail: str
    """What is wrong, and where it can be said what a right one looks like, in one line."""
    instance: str
    """Path of the request."""
    request_id: str
    """Under which the log of the server has more."""
    errors: list[FieldProblem] | None = Field(None, description="What is wrong with each field of the request.")


class Refused(HTTPException):
    """A request that is not done. An HTTPException, so that it can be raised while a body is read."""

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None, **more: Any) -> None:
        super().__init__(status, detail, dict(headers or {}))
        self.more = more
        """Further members of the problem details."""


def install(app: FastAPI) -> None:
    """Answer every error of the app with problem details."""
    for kind in (FolioError, HTTPException, RequestValidationError, Exception):
        app.add_exception_handler(kind, _handle)


async def _handle(request: Request, error: Exception) -> Response:
    return problem_response(request, error)


def problem_response(request: Request, error: Exception) -> Response:
    """Return the response that says what went wrong."""
    problem = problem_of(request, error)
    headers = dict(getattr(error, "headers", None) or {})
    if problem.status >= 500:
        # An answer of this kind leaves by another way than the others.
        headers.setdefault("X-Request-ID", problem.request_id)
    if problem.status == 503:
        headers.setdefault("Retry-After", _RETRY_SECONDS)
    body = json.dumps(problem.model_dump(exclude_none=True), ensure_ascii=False)
    return Response(body.encode("utf-8", "replace"), problem.status, headers, MEDIA_TYPE)


def problem_of(request: Request, error: Exception) -> Problem:
    """Return the problem details of an error; what is not meant for people is logged and not said."""
    status, detail, more = said(error)
    return as_problem(request, status, detail, more)


def as_problem(request: Request, status: int, detail: str, more: Mapping[str, Any] | None = None) -> Problem:
    """Return problem details for whoever sent the request."""
    more = dict(more or {})
    if request.url.path.startswith("/v1/"):
        # Clients of this protocol look for the message here.
        more = {**more, "error": {"message": detail, "type": HTTPStatus(status).phrase, "param": None, "code": status}}
    return Problem(
        title=HTTPStatus(status).phrase,
        status=status,
        detail=detail,
        instance=request.url.path,
        request_id=getattr(request.state, "request_id", ""),
        **more,
    )


def said(error: Exception) -> tuple[int, str, dict[str, Any]]:
    """Return the status, the line for people and further members of the problem details of an error."""
    if isinstance(error, Refused):
        return error.status_code, error.detail, error.more
    if isinstance(error, HTTPException):
        return error.status_code, _plain(error), {}
    if isinstance(error, RequestValidationError):
        return _invalid(error)
    if isinstance(error, _AWAY):
        # It names an address, and is no defect here: one line for whoever runs the server.
        logger.error("%s", " ".join(str(error).split()))
        return 503, "the database cannot be used now; try again soon", {}
    if isinstance(error, FolioError):
        for kind, status in _STATUS.items():
            if isinstance(error, kind):
                return status, " ".join(str(error).split()), {}
    logger.error("the request failed", exc_info=error)
    return 500, "the server could not do this; its log says why, under this request_id", {}


def _plain(error: HTTPException) -> str:
    match error.status_code:
        case 404:
            return "there is nothing at this path; /openapi.json lists what there is"
        case 405:
            allowed = (error.headers or {}).get("Allow", "others")
            return f"this path does not take that method; it takes {allowed}"
        case _:
            return str(error.detail)


def _invalid(error: RequestValidationError) -> tuple[int, str, dict[str, Any]]:
    found = error.errors()
    if any(one["type"] == "json_invalid" for one in found):
        return 400, "the body is not JSON", {}
    fields = [FieldProblem(field=_name(one["loc"]), message=_message(one)) for one in found]
    detail = "; ".join(f"{one.field}: {one.message}" for one in fields)
    return 422, detail, {"errors": fields}


def _name(place: tuple[str | int, ...]) -> str:
    inner = [str(part) for part in place[1:]]
    return ".".join(inner) or str(place[0])


def _message(one: Mapping[str, Any]) -> str:
    message = str(one["msg"]).removeprefix("Value error, ")
    return message[:1].lower() + message[1:]


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return what a route says of its problems: these, and those that any request with a key may have."""
    return {status: _described(status) for status in sorted({*statuses, 401, 403, 429, 500, 503})}


def _described(status: int) -> dict[str, Any]:
    title = HTTPStatus(status).phrase
    return {"description": title, "content": {MEDIA_TYPE: {"schema": _PROBLEM}}}
