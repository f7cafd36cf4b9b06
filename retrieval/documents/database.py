"""Opens a database: several processes may do so at once, and what goes wrong is one line that shows no password."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from preprocessing.errors import FolioError

_DRIVER = "postgresql+psycopg"
"""What an address of PostgreSQL means that names no driver."""
_BUSY_MS = 10_000
"""How long a writer of an SQLite file waits for another one."""
_TRIES = 10
_CONNECTIONS = 5
"""Kept open to a server by each part that has a pool, and as many again at times: a server takes about a hundred."""
_CONNECT_SECONDS = 10
"""How long a server that does not answer is waited for."""
_LIBPQ = ("psycopg", "psycopg2")


class DatabaseError(FolioError):
    """The database cannot be used; the message says what to mend."""


class DatabaseAway(DatabaseError):
    """The database was there and is not now; what needs it works again when it is back."""


class PlainText(sa.TypeDecorator[str]):
    """Text that every database takes: PostgreSQL keeps no NUL, and half a surrogate pair has no UTF-8 form."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> str | None:
        """Put a replacement character in the place of what cannot be kept."""
        if value is None:
            return None
        return value.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def open_database(url: str, tables: sa.MetaData) -> sa.Engine:
    """Open the database at the address, making the tables and columns that are not there.

    Raises what SQLAlchemy raises; what it cannot do afterwards raises DatabaseAway, until it can again.
    """
    address = with_driver(url)
    if address.get_backend_name() == "sqlite":
        engine = sa.create_engine(address, pool_pre_ping=True)
        sa.event.listen(engine, "connect", _write_ahead)
    else:
        engine = sa.create_engine(
            address,
            pool_pre_ping=True,
            pool_size=_CONNECTIONS,
            max_overflow=_CONNECTIONS,
            connect_args=_patience(address),
        )
    try:
        make_tables(engine, tables)
    except BaseException:
        engine.dispose()
        raise
    sa.event.listen(engine, "handle_error", partial(_say_that_it_is_away, shown(address)), retval=True)
    return engine


def with_driver(url: str) -> sa.URL:
    """Return the address with the driver that Folio is installed with, where it names PostgreSQL alone.

    Raises sqlalchemy.exc.ArgumentError for what is no address.
    """
    parsed = sa.make_url(url)
    return parsed.set(drivername=_DRIVER) if parsed.drivername in ("postgres", "postgresql") else parsed


def shown(address: sa.URL) -> str:
    """Return the address without its password."""
    return address.render_as_string(hide_password=True)


def make_tables(engine: sa.Engine, tables: sa.MetaData) -> None:
    """Make what is not there of the tables; other processes may be doing the same."""
    for left in reversed(range(_TRIES)):
        try:
            tables.create_all(engine)
            _add_missing_columns(engine, tables)
            return
        except sa.exc.DBAPIError:
            # Where another process was quicker, it is there at the next look.
            if not left:
                raise
            time.sleep(0.05)


def _add_missing_columns(engine: sa.Engine, tables: sa.MetaData) -> None:
    """Bring tables that an earlier version made up to date; what it did not know is empty in them."""
    known = sa.inspect(engine)
    for table in tables.sorted_tables:
        there = {column["name"] for column in known.get_columns(table.name)}
        for column in (column for column in table.columns if column.name not in there):
            kind = column.type.compile(engine.dialect)
            with engine.begin() as connection:
                connection.execute(sa.text(f"ALTER TABLE {table.name} ADD COLUMN {column.name} {kind}"))


def _patience(address: sa.URL) -> dict[str, Any]:
    """Return how long to wait for a server, unless the address says it."""
    is_known = address.get_driver_name() in _LIBPQ and "connect_timeout" not in address.query
    return {"connect_timeout": _CONNECT_SECONDS} if is_known else {}


def _say_that_it_is_away(name: str, context: sa.ExceptionContext) -> DatabaseAway | None:
    """Return what is raised instead, None to leave it."""
    # A ping that fails only means that a new connection is tried.
    error = context.sqlalchemy_exception
    is_away = context.is_disconnect or isinstance(error, sa.exc.OperationalError | sa.exc.InterfaceError)
    if not is_away or context.is_pre_ping:
        return None
    reason = " ".join(str(context.original_exception).split())
    return DatabaseAway(f"the database {name} cannot be used now: {reason}")


def _write_ahead(connection: Any, _record: object) -> None:
    # Readers go on while one process writes, and a committed change survives a crash.
    connection.execute(f"PRAGMA busy_timeout={_BUSY_MS}")
    connection.execute("PRAGMA journal_mode=WAL")


@contextmanager
def said_of_file(path: Path) -> Iterator[None]:
    """Turn what SQLAlchemy raises on opening a database of our own into a DatabaseError about its file."""
    try:
        yield
    except sa.exc.DBAPIError as error:
        raise DatabaseError(
            f"{path} cannot be used ({' '.join(str(error.orig).split())}): restore a backup, or remove its folder and "
            "ingest again"
        ) from error


@contextmanager
def said_of_database(url: str) -> Iterator[None]:
    """Turn what SQLAlchemy raises on opening into a DatabaseError about FOLIO_DATABASE_URL."""
    try:
        yield
    except sa.exc.ArgumentError:
        # Its own message repeats the address, and with it the password.
        raise DatabaseError(
            "FOLIO_DATABASE_URL is not an address of a database; a right one is postgresql+psycopg://user@host/folio"
        ) from None
    except ModuleNotFoundError as error:
        how = "pip install 'folio[postgres]'" if error.name == "psycopg" else "install it, or correct the address"
        raise DatabaseError(f"FOLIO_DATABASE_URL needs the Python package {error.name}: {how}") from None
    except sa.exc.DBAPIError as error:
        reason = " ".join(str(error.orig).split())
        raise DatabaseError(f"FOLIO_DATABASE_URL {shown(sa.make_url(url))} cannot be used: {reason}") from None
