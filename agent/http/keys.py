"""What the HTTP server keeps for itself: keys (who may do what, for which groups), and whose each session is."""

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, get_args
from uuid import uuid4

import sqlalchemy as sa

from agent.sessions.store import SessionStore
from agent.settings import Settings
from preprocessing.errors import FolioError
from preprocessing.visibility import groups_of
from retrieval.documents import database

tables = sa.MetaData()

keys = sa.Table(
    "http_keys",
    tables,
    sa.Column("id", sa.String(16), primary_key=True),
    sa.Column("name", sa.String(64), nullable=False),
    sa.Column("secret_hash", sa.String(64), nullable=False),
    sa.Column("role", sa.String(16), nullable=False),
    sa.Column("groups", sa.JSON, nullable=False),
    sa.Column("created_at", sa.String(32), nullable=False),
    sa.Column("revoked_at", sa.String(32)),
)

session_owners = sa.Table(
    "http_session_owners",
    tables,
    sa.Column("session", sa.String(64), primary_key=True),
    sa.Column("owner", sa.String(16), nullable=False, index=True),
)


uploads = sa.Table(
    "http_uploads",
    tables,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("owner", sa.String(16), nullable=False),
    sa.Column("filename", database.PlainText, nullable=False),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("document", sa.JSON),
    sa.Column("failed_with", sa.Integer),  # status of the problem details
    sa.Column("failure", database.PlainText),
    sa.Column("host", sa.Text, nullable=False),  # where it is brought in
    sa.Column("process", sa.Integer, nullable=False),
    sa.Column("updated_at", sa.Float, nullable=False),  # seconds since 1970
)


def open_database(settings: Settings) -> sa.Engine:
    """Open the database of FOLIO_DATABASE_URL, or the file `http.db` in FOLIO_HOME; make what is not there.

    Raises FolioError, naming the setting or the file, for one that cannot be used.
    """
    if settings.database_url is not None:
        url = settings.database_url.get_secret_value()
        with database.said_of_database(url):
            return database.open_database(url, tables)
    path = settings.home / "http.db"
    try:
        settings.home.mkdir(parents=True, exist_ok=True)
        return database.open_database(f"sqlite:///{path}", tables)
    except OSError as error:
        raise FolioError(f"FOLIO_HOME {settings.home} cannot be a folder: {error.strerror}") from None
    except sa.exc.DatabaseError as error:
        raise FolioError(f"{path}: {error.orig}; move it away and make the keys anew with folio keys add") from error


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
            connection.execute(sa.insert(keys).values(**values, groups=list(key.groups), secret_hash=_hashed(secret)))
        return key, f"folio_{key.id}_{secret}"

    def find(self, written: str) -> Key | None:
        """Return the key that was sent; None for one that is unknown or revoked."""
        parts = _WRITTEN.fullmatch(written)
        if not parts:
            return None
        query = sa.select(keys).where(keys.c.id == parts[1], keys.c.revoked_at.is_(None))
        with self._engine.connect() as connection:
            row = connection.execute(query).one_or_none()
        return _key(row) if row and hmac.compare_digest(row.secret_hash, _hashed(parts[2])) else None

    def all(self) -> list[Key]:
        """Return every key, also revoked ones, the oldest first."""
        with self._engine.connect() as connection:
            rows = connection.execute(sa.select(keys).order_by(keys.c.created_at, keys.c.id))
            return [_key(row) for row in rows]

    def were_made(self) -> bool:
        """Say whether any key was ever made; revoking the last one must not open the server."""
        with self._engine.connect() as connection:
            return connection.execute(sa.select(keys.c.id).limit(1)).first() is not None

    def revoke(self, name_or_id: str) -> Key:
        """End a key. Raises KeyProblem when no key in use has that name or id."""
        for key in self.all():
            if name_or_id in (key.id, key.name) and not key.revoked_at:
                with self._engine.begin() as connection:
                    connection.execute(sa.update(keys).where(keys.c.id == key.id).values(revoked_at=_now()))
                return key
        raise KeyProblem(f"no key in use is called {name_or_id!r}; folio keys list shows them")


def _hashed(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _key(row: Any) -> Key:
    return Key(row.id, row.name, row.role, tuple(row.groups), row.created_at, row.revoked_at)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


NOBODY = ""
"""Owner of sessions that were begun without a key: on an open server, and at the command line."""


class UnknownSession(FolioError):
    """There is no such session, or it is somebody else's."""


class SessionOwners:
    """Remembers which key began a session."""

    def __init__(self, engine: sa.Engine, sessions: SessionStore) -> None:
        self._engine = engine
        self._sessions = sessions

    def named(self, session: str | None, owner: str) -> str:
        """Return the session to ask in, the owner's from now on. Raises UnknownSession for one of somebody else."""
        session = session or uuid4().hex[:12]
        if not self.claim(session, owner):
            raise UnknownSession(f"there is no session {session!r}; leave it out to begin a new one")
        return session

    def claim(self, session: str, owner: str) -> bool:
        """Say whether the owner may go on with the session; one that is not there is begun for them."""
        found = self._recorded(session)
        if found is None and not self._sessions.turns(session):
            found = self._record(session, owner)
        return (found or NOBODY) == owner

    def owns(self, session: str, owner: str) -> bool:
        """Say whether the session is the owner's, without beginning it."""
        return (self._recorded(session) or NOBODY) == owner

    def sessions_of(self, owner: str) -> list[str]:
        """Return the names of the owner's sessions, the latest used first."""
        with self._engine.connect() as connection:
            owners = {row.session: row.owner for row in connection.execute(sa.select(session_owners))}
        return [session for session in self._sessions.sessions() if owners.get(session, NOBODY) == owner]

    def check(self) -> None:
        """Raise DatabaseAway when the owners cannot be read."""
        self._recorded("")

    def _recorded(self, session: str) -> str | None:
        query = sa.select(session_owners.c.owner).where(session_owners.c.session == session)
        with self._engine.connect() as connection:
            return connection.execute(query).scalar_one_or_none()

    def _record(self, session: str, owner: str) -> str | None:
        try:
            with self._engine.begin() as connection:
                connection.execute(sa.insert(session_owners).values(session=session, owner=owner))
        except sa.exc.IntegrityError:
            # Another request was quicker.
            return self._recorded(session)
        return owner


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
