"""Keys: who may do what over HTTP, on behalf of which groups."""

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, get_args

import sqlalchemy as sa

from agent.http.database import keys as _keys
from preprocessing.errors import FolioError
from preprocessing.visibility import groups_of

Role = Literal["read", "write", "admin"]
ROLES: tuple[Role, ...] = get_args(Role)
"""Each may do what those before it may."""

_WRITTEN = re.compile(r"folio_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")
_MOST_NAME_CHARS = 64


class KeyProblem(FolioError):
    """A key cannot be made or found as asked."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key as it is kept; its secret is not."""

    id: str
    name: str
    role: Role
    groups: tuple[str, ...]
    """Groups on whose behalf it asks: the `viewer` of its searches."""
    created_at: str
    revoked_at: str | None = None


class KeyStore:
    """The keys in a database, each as the SHA-256 of its secret: 32 random bytes need no slow hash."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def add(self, name: str, role: str = "read", groups: Iterable[str] = ()) -> tuple[Key, str]:
        """Make a key and return it with what its owner sends, which cannot be read again.

        Raises KeyProblem for a name that is taken or cannot be, and for an unknown role.
        """
        name = name.strip()
        if not name or not name.isprintable() or len(name) > _MOST_NAME_CHARS:
            raise KeyProblem(f"{name[:_MOST_NAME_CHARS]!r} is no name for a key; a right one is reception-desk")
        if role not in ROLES:
            raise KeyProblem(f"there is no role {role!r}; choose one of {', '.join(ROLES)}")
        if any(key.name == name for key in self.all() if not key.revoked_at):
            raise KeyProblem(f"there is a key {name!r} already; revoke it first: folio keys revoke {name}")
        secret = secrets.token_urlsafe(32)
        key = Key(secrets.token_hex(6), name, role, groups_of(groups), _now())
        with self._engine.begin() as connection:
            values = {name: getattr(key, name) for name in ("id", "name", "role", "created_at")}
            connection.execute(sa.insert(_keys).values(**values, groups=list(key.groups), secret_hash=_hashed(secret)))
        return key, f"folio_{key.id}_{secret}"

    def find(self, written: str) -> Key | None:
        """Return the key that was sent; None for one that is unknown or revoked."""
        parts = _WRITTEN.fullmatch(written)
        if not parts:
            return None
        query = sa.select(_keys).where(_keys.c.id == parts[1], _keys.c.revoked_at.is_(None))
        with self._engine.connect() as connection:
            row = connection.execute(query).one_or_none()
        return _key(row) if row and hmac.compare_digest(row.secret_hash, _hashed(parts[2])) else None

    def all(self) -> list[Key]:
        """Return every key, also revoked ones, the oldest first."""
        with self._engine.connect() as connection:
            rows = connection.execute(sa.select(_keys).order_by(_keys.c.created_at, _keys.c.id))
            return [_key(row) for row in rows]

    def were_made(self) -> bool:
        """Say whether any key was ever made; revoking the last one must not open the server."""
        with self._engine.connect() as connection:
            return connection.execute(sa.select(_keys.c.id).limit(1)).first() is not None

    def revoke(self, name_or_id: str) -> Key:
        """End a key. Raises KeyProblem when no key in use has that name or id."""
        for key in self.all():
            if name_or_id in (key.id, key.name) and not key.revoked_at:
                with self._engine.begin() as connection:
                    connection.execute(sa.update(_keys).where(_keys.c.id == key.id).values(revoked_at=_now()))
                return key
        raise KeyProblem(f"no key in use is called {name_or_id!r}; folio keys list shows them")


def _hashed(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _key(row: Any) -> Key:
    return Key(row.id, row.name, row.role, tuple(row.groups), row.created_at, row.revoked_at)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
