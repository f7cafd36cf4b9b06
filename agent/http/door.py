"""What every route works with: the assistant behind the door, and who knocks."""

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated, TypeVar

from fastapi import Depends, Request, Security
from fastapi.security import HTTPBearer

from agent.assistant import Assistant
from agent.http.keys import Caller, Role, SessionOwners
from agent.http.problems import Refused
from agent.http.uploads import Uploads

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Door:
    """The assistant behind the server, and what the server keeps beside it."""

    assistant: Assistant
    owners: SessionOwners
    uploads: Uploads
    answers: ThreadPoolExecutor
    """Where questions are answered: slow ones must not keep quick requests waiting."""


def door(request: Request) -> Door:
    """Return the door of the app that has the request."""
    found: Door = request.app.state.door
    return found


AtDoor = Annotated[Door, Depends(door)]


async def run_in(executor: Executor, work: Callable[[], T]) -> T:
    """Do blocking work in the executor, with the context of the request."""
    return await asyncio.get_running_loop().run_in_executor(executor, contextvars.copy_context().run, work)


_bearer = HTTPBearer(
    auto_error=False, scheme_name="key", description="A key made with `folio keys add`; an open server needs none."
)


def identified(request: Request) -> Caller | None:
    """Return who the guard says the caller is; None only at paths that are open to all."""
    caller: Caller | None = getattr(request.state, "caller", None)
    return caller


class _Needs:
    def __init__(self, role: Role) -> None:
        self._role = role

    def __call__(
        self, caller: Annotated[Caller | None, Depends(identified)], _key: Annotated[object, Security(_bearer)]
    ) -> Caller:
        if caller is None:
            raise Refused(401, "this needs a key", {"WWW-Authenticate": "Bearer"})
        if not caller.may(self._role):
            raise Refused(403, f"this needs a key of the role {self._role}; this one has the role {caller.role}")
        return caller


Reader = Annotated[Caller, Depends(_Needs("read"))]
Writer = Annotated[Caller, Depends(_Needs("write"))]


def takes_json(request: Request) -> None:
    """Refuse a body that does not say that it is JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
        raise Refused(415, f"the body is {kind or 'of no stated type'}; send Content-Type: application/json")


def takes_form(request: Request) -> None:
    """Refuse a body that is no form with files."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "multipart/form-data":
        raise Refused(
            415, f"the body is {kind or 'of no stated type'}; send the file as multipart/form-data, as curl -F does"
        )
