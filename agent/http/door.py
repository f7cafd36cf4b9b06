"""What every route works with."""

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated, TypeVar

from fastapi import Depends, Request

from agent.assistant import Assistant
from agent.http.owners import SessionOwners
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
