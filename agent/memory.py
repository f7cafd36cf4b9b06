"""What was said in each session, kept in a database."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from agent.citations import remove_unknown_labels
from preprocessing.errors import FolioError

NO_HISTORY = "(none)"
_TURNS_READ = 50

_tables = sa.MetaData()

_turns = sa.Table(
    "turns",
    _tables,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("session", sa.String(64), nullable=False, index=True),
    sa.Column("asked_at", sa.String(32), nullable=False),
    sa.Column("question", sa.Text, nullable=False),
    sa.Column("answer", sa.Text, nullable=False),
    sa.Column("refused", sa.Boolean, nullable=False),
    sa.Column("citations", sa.JSON, nullable=False),
    sa.Column("viewer", sa.JSON, nullable=False),
    sa.Column("trace_id", sa.String(64), nullable=False),
)


class SessionsError(FolioError):
    """The file of conversations cannot be used."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One question and its final answer."""

    question: str
    answer: str
    refused: bool = False
    citations: tuple[dict[str, Any], ...] = ()
    trace_id: str = ""
    viewer: tuple[str, ...] = ()
    """Groups on whose behalf it was asked."""


class SessionStore:
    """Turns of every session: questions and final answers with their citations, never scratch work or passages."""

    def __init__(self, url: str) -> None:
        self._engine = sa.create_engine(url)
        _tables.create_all(self._engine)

    @classmethod
    def in_folder(cls, folder: Path) -> "SessionStore":
        """Open the sessions kept as an SQLite file in the folder, making both when they are not there.

        Raises SessionsError for a file that is no database.
        """
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "sessions.db"
        try:
            return cls(f"sqlite:///{path}")
        except sa.exc.DatabaseError as error:
            raise SessionsError(f"{path}: {error.orig}; move it away to begin with no conversations") from error

    @classmethod
    def in_memory(cls) -> "SessionStore":
        """Open sessions that are gone when the process ends."""
        return cls("sqlite://")

    def close(self) -> None:
        """Release the connections."""
        self._engine.dispose()

    def turns(self, session: str, viewer: Collection[str] | None = None) -> list[Turn]:
        """Return the latest turns of the session, oldest first; empty for a new session.

        With `viewer`, only those that were asked on behalf of no other groups than these: an answer may hold what
        other groups must not see.
        """
        query = sa.select(_turns).where(_turns.c.session == session).order_by(_turns.c.id.desc()).limit(_TURNS_READ)
        with self._engine.connect() as connection:
            rows = [row for row in connection.execute(query) if viewer is None or set(row.viewer) <= set(viewer)]
        return [
            Turn(row.question, row.answer, row.refused, tuple(row.citations), row.trace_id, tuple(row.viewer))
            for row in reversed(rows)
        ]

    def append(self, session: str, turn: Turn) -> None:
        """Keep a finished turn."""
        with self._engine.begin() as connection:
            connection.execute(
                sa.insert(_turns).values(
                    session=session,
                    asked_at=datetime.now(UTC).isoformat(timespec="seconds"),
                    question=turn.question,
                    answer=turn.answer,
                    refused=turn.refused,
                    citations=list(turn.citations),
                    viewer=list(turn.viewer),
                    trace_id=turn.trace_id,
                )
            )

    def forget(self, session: str) -> None:
        """Remove every turn of the session."""
        with self._engine.begin() as connection:
            connection.execute(sa.delete(_turns).where(_turns.c.session == session))

    def sessions(self) -> list[str]:
        """Return the names of all sessions, the latest used first."""
        query = sa.select(_turns.c.session).group_by(_turns.c.session).order_by(sa.func.max(_turns.c.id).desc())
        with self._engine.connect() as connection:
            return list(connection.execute(query).scalars())


def as_turns(messages: Sequence[dict[str, str]]) -> list[Turn]:
    """Return a conversation given as `{"role": "user" | "assistant", "text": …}` messages as turns."""
    turns: list[Turn] = []
    for message in messages:
        if message.get("role") == "user":
            turns.append(Turn(message.get("text", ""), ""))
        elif turns:
            turns[-1] = Turn(turns[-1].question, message.get("text", ""))
    return turns


def as_history(turns: Sequence[Turn], max_tokens: int) -> str:
    """Return the conversation as the model is shown it: the latest turns that fit, oldest first.

    Labels of earlier answers are taken out, because S1 means another passage in each question.
    """
    shown: list[str] = []
    left = max_tokens
    for turn in reversed(turns):
        answer, _ = remove_unknown_labels(turn.answer, ())
        text = f"User: {turn.question}\nAssistant: {answer}"
        left -= approximate_tokens(text)
        if left < 0:
            break
        shown.append(text)
    return "\n".join(reversed(shown)) or NO_HISTORY


def approximate_tokens(text: str) -> int:
    """Return about how many tokens a text takes: one a Chinese character, one for four of any other."""
    wide = sum("\u2e80" <= character <= "\uffef" or character >= "\U00020000" for character in text)
    return wide + (len(text) - wide + 3) // 4
