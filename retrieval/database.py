"""What goes wrong with a database of documents is said in one line that never shows a password."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

from preprocessing.errors import FolioError


class DatabaseError(FolioError):
    """The database of documents cannot be used; the message says what to mend."""


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
        raise DatabaseError(
            f"FOLIO_DATABASE_URL needs the Python package {error.name}: install it, or correct it"
        ) from None
    except sa.exc.DBAPIError as error:
        shown = sa.make_url(url).render_as_string(hide_password=True)
        reason = " ".join(str(error.orig).split())
        raise DatabaseError(f"FOLIO_DATABASE_URL {shown} cannot be used: {reason}") from None
