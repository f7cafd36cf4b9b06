"""What a tool is, and what one call of it works with."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

from agent.assistant import Assistant

A = TypeVar("A", bound=BaseModel)


class Waiting(Protocol):
    """Whoever waits for a result. Both methods raise when nobody does any more."""

    def tell(self, doing: str) -> None:
        """Say what is being done."""

    def check(self) -> None:
        """Say nothing."""


@dataclass(frozen=True, slots=True)
class Call:
    """What one call of a tool works with."""

    assistant: Callable[[], AbstractContextManager[Assistant]]
    groups: Sequence[str]
    """Groups on whose behalf it is made."""
    claim: Callable[[str | None], str | None]
    """Returns the session to ask in. Raises FolioError for one of somebody else."""
    waiting: Waiting
    """Who waits for the result."""


@dataclass(frozen=True, slots=True)
class Tool(Generic[A]):
    """A tool as clients see it, and what it does."""

    name: str
    title: str
    description: str
    arguments: type[A]
    result: type[BaseModel]
    run: Callable[[Call, A], tuple[BaseModel, str]]
