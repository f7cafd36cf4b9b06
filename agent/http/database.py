"""What the HTTP server keeps for itself: keys, whose each session is, and where uploads are."""

import sqlalchemy as sa

from agent.settings import Settings
from preprocessing.errors import FolioError
from retrieval import database

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
