"""Whose each session is: the key's that began it."""

import sqlalchemy as sa

from agent.http.database import session_owners as _owners
from agent.memory import SessionStore

NOBODY = ""
"""Owner of sessions that were begun without a key: on an open server, and at the command line."""


class SessionOwners:
    """Remembers which key began a session."""

    def __init__(self, engine: sa.Engine, sessions: SessionStore) -> None:
        self._engine = engine
        self._sessions = sessions

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
            owners = {row.session: row.owner for row in connection.execute(sa.select(_owners))}
        return [session for session in self._sessions.sessions() if owners.get(session, NOBODY) == owner]

    def check(self) -> None:
        """Raise DatabaseAway when the owners cannot be read."""
        self._recorded("")

    def _recorded(self, session: str) -> str | None:
        query = sa.select(_owners.c.owner).where(_owners.c.session == session)
        with self._engine.connect() as connection:
            return connection.execute(query).scalar_one_or_none()

    def _record(self, session: str, owner: str) -> str | None:
        try:
            with self._engine.begin() as connection:
                connection.execute(sa.insert(_owners).values(session=session, owner=owner))
        except sa.exc.IntegrityError:
            # Another request was quicker.
            return self._recorded(session)
        return owner
