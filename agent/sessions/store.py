"""What was said in each session, kept in a database."""

from collections.abc import Collection, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from agent.sessions.turn import TURNS_READ, Staleness, Turn
from preprocessing.errors import FolioError
from retrieval.documents.database import PlainText, make_tables, open_database, said_of_database
from retrieval.settings import RetrievalSettings

MAX_SESSION_CHARS = 64

_tables = sa.MetaData()

_turns = sa.Table(
    "turns",
    _tables,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("session", sa.String(MAX_SESSION_CHARS), nullable=False, index=True),
    sa.Column("asked_at", sa.String(32), nullable=False),
    sa.Column("question", PlainText, nullable=False),
    sa.Column("answer", PlainText, nullable=False),
    sa.Column("refused", sa.Boolean, nullable=False),
    sa.Column("citations", sa.JSON, nullable=False),
    sa.Column("viewer", sa.JSON, nullable=False),
    sa.Column("trace_id", sa.String(64), nullable=False),
    sa.Column("stale", sa.String(16)),  # a Staleness, once a person was told of it
)


class SessionsError(FolioError):
    """The conversations cannot be read or kept."""


class SessionStore:
    """Turns of every session: questions and final answers with their citations, never scratch work or passages.

    Safe to use from several threads and processes. Methods raise DatabaseAway when the database cannot be used.
    """

    def __init__(self, engine: sa.Engine) -> None:
        """Take a database that has the tables."""
        self._engine = engine

    @classmethod
    def at(cls, url: str) -> "SessionStore":
        """Open the sessions at an SQLAlchemy address. Raises what SQLAlchemy raises."""
        return cls(open_database(url, _tables))

    @classmethod
    def of(cls, settings: RetrievalSettings) -> "SessionStore":
        """Open the sessions in FOLIO_DATABASE_URL, else in FOLIO_HOME. Raises FolioError for a wrong address."""
        if settings.database_url is None:
            return cls.in_folder(settings.home)
        url = settings.database_url.get_secret_value()
        with said_of_database(url):
            return cls.at(url)

    @classmethod
    def in_folder(cls, folder: Path) -> "SessionStore":
        """Open the sessions kept as an SQLite file in the folder, making both when they are not there.

        Raises SessionsError for a file that is no database.
        """
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "sessions.db"
        try:
            return cls.at(f"sqlite:///{path}")
        except sa.exc.DatabaseError as error:
            raise SessionsError(f"{path}: {error.orig}; move it away to begin with no conversations") from error

    @classmethod
    def in_memory(cls) -> "SessionStore":
        """Open sessions that are gone when the process ends."""
        # One connection, which threads use in turn: each connection would have sessions of its own.
        engine = sa.create_engine(
            "sqlite://",
            poolclass=sa.QueuePool,
            pool_size=1,
            max_overflow=0,
            connect_args={"check_same_thread": False},
        )
        make_tables(engine, _tables)
        return cls(engine)

    def close(self) -> None:
        """Release the connections."""
        self._engine.dispose()

    def check(self) -> None:
        """Raise DatabaseAway when the sessions cannot be read."""
        with self._engine.connect() as connection:
            connection.execute(sa.select(_turns.c.id).limit(1))

    def turns(self, session: str, viewer: Collection[str] | None = None) -> list[Turn]:
        """Return the latest turns of the session, oldest first; empty for a new session.

        With `viewer`, only those that were asked on behalf of no other groups than these: an answer may hold what
        other groups must not see.
        """
        query = sa.select(_turns).where(_turns.c.session == session)
        with self._engine.begin() as connection:
            rows = connection.execute(query.order_by(_turns.c.id.desc()).limit(TURNS_READ)).all()
        return [_turn(row) for row in reversed(rows) if viewer is None or set(row.viewer) <= set(viewer)]

    def append(self, session: str, turn: Turn) -> None:
        """Keep a finished turn, under a number of the store's own."""
        check_session(session)
        row = {"session": session, "asked_at": datetime.now(UTC).isoformat(timespec="seconds"), **asdict(turn)}
        del row["number"]
        with self._engine.begin() as connection:
            connection.execute(sa.insert(_turns).values(**row))

    def note_stale(self, told: Mapping[int, Staleness]) -> None:
        """Remember what a person was told of earlier answers, by the numbers of their turns."""
        with self._engine.begin() as connection:
            for number, stale in told.items():
                connection.execute(sa.update(_turns).where(_turns.c.id == number).values(stale=stale))

    def forget(self, session: str) -> None:
        """Remove every turn of the session."""
        with self._engine.begin() as connection:
            connection.execute(sa.delete(_turns).where(_turns.c.session == session))

    def sessions(self) -> list[str]:
        """Return the names of all sessions, the latest used first."""
        query = sa.select(_turns.c.session).group_by(_turns.c.session).order_by(sa.func.max(_turns.c.id).desc())
        with self._engine.begin() as connection:
            return list(connection.execute(query).scalars())


def check_session(session: str) -> None:
    """Raise SessionsError for a name that cannot be kept."""
    if len(session) > MAX_SESSION_CHARS:
        raise SessionsError(f"the name of a session has at most {MAX_SESSION_CHARS} characters, not {len(session)}")


def _turn(row: Any) -> Turn:
    citations, viewer = tuple(row.citations), tuple(row.viewer)
    return Turn(row.question, row.answer, row.refused, citations, row.trace_id, viewer, row.stale, row.id)
