"""One writer at a time among the processes that share a server: a row of the catalogue that has to be renewed."""

import logging
import os
import platform
import threading
import time
import uuid
from collections.abc import Iterator, Set
from contextlib import contextmanager

import sqlalchemy as sa

from preprocessing.errors import FolioError
from retrieval.documents.database import DatabaseError
from retrieval.documents.schema import leases

logger = logging.getLogger(__name__)

_WRITER = "writer"
_LASTS = 120.0
"""Seconds after the last renewal; the clocks of two machines may differ by a good part of it."""
_RENEWED_EVERY = 20.0


class WriterBusy(FolioError):
    """Another process is changing the documents."""


class Lease:
    """The right to write, for one user of a catalogue at a time; each has one of these and takes turns with itself."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._left_behind: set[str] = set()
        """Tokens that could not be given back, because the database was away."""

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Be the one that writes; a process that dies lets go at once on its own machine, and soon on others.

        Raises WriterBusy when another process is writing.
        """
        token, done = uuid.uuid4().hex, threading.Event()
        _take(self._engine, token, self._left_behind)
        renewer = threading.Thread(target=_renew, args=(self._engine, token, done), name="folio-lease", daemon=True)
        renewer.start()
        try:
            yield
        finally:
            done.set()
            renewer.join()
            self._let_go(token)

    def _let_go(self, token: str) -> None:
        self._left_behind.add(token)
        with self._engine.begin() as connection:
            connection.execute(sa.delete(leases).where(leases.c.token.in_(self._left_behind)))
        self._left_behind.clear()


def _take(engine: sa.Engine, token: str, left_behind: Set[str]) -> None:
    with engine.begin() as connection:
        row = connection.execute(sa.select(leases).where(leases.c.name == _WRITER)).one_or_none()
        if row and (row.token in left_behind or row.expires_at < time.time() or _is_dead(row)):
            connection.execute(sa.delete(leases).where(leases.c.token == row.token))
    try:
        with engine.begin() as connection:
            connection.execute(
                sa.insert(leases).values(
                    name=_WRITER,
                    token=token,
                    host=platform.node(),
                    process=os.getpid(),
                    expires_at=time.time() + _LASTS,
                )
            )
    except sa.exc.IntegrityError:
        other = f"process {row.process} on {row.host}" if row else "another process"
        raise WriterBusy(
            f"{other} is changing the documents: wait until it is done, or stop it, and try again"
        ) from None


def _renew(engine: sa.Engine, token: str, done: threading.Event) -> None:
    while not done.wait(_RENEWED_EVERY):
        try:
            with engine.begin() as connection:
                mine = sa.update(leases).where(leases.c.token == token)
                renewed = connection.execute(mine.values(expires_at=time.time() + _LASTS)).rowcount
        except (DatabaseError, sa.exc.SQLAlchemyError) as error:
            logger.warning("the right to change documents could not be renewed, and is tried again: %s", error)
            continue
        if not renewed:
            logger.warning("this process was away for too long, and another may have begun to change documents")
            return


def _is_dead(row: sa.Row[tuple[object, ...]]) -> bool:
    """Say whether the process that has the lease was one of this machine and is no more."""
    if row.host != platform.node() or row.process == os.getpid() or os.name != "posix":
        return False
    try:
        os.kill(row.process, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass
    return False
