"""Who sends a request, and what they may do."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request, Security
from fastapi.security import HTTPBearer

from agent.http.keys import ROLES, Key, Role
from agent.http.owners import NOBODY
from agent.http.problems import Refused


@dataclass(frozen=True, slots=True)
class Caller:
    """The key that a request was sent with, or the person at an open server."""

    id: str
    """What sessions belong to."""
    name: str
    role: Role
    groups: tuple[str, ...]
    """Groups on whose behalf it searches; never said by the request."""

    @classmethod
    def with_key(cls, key: Key) -> "Caller":
        """Return the caller that a key stands for."""
        return cls(key.id, key.name, key.role, key.groups)

    def may(self, role: Role) -> bool:
        """Say whether what needs this role is allowed."""
        return ROLES.index(self.role) >= ROLES.index(role)

    @property
    def listed_for(self) -> tuple[str, ...] | None:
        """Return the groups whose documents are listed; None for an administrator, who takes care of all."""
        return None if self.may("admin") else self.groups


LOCAL = Caller(NOBODY, "local", "admin", ())
"""Whoever is at this machine, where no keys were made. Searches as anybody, as the command line does."""

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
