"""Where traces are kept: in the database that the settings name, like the sessions, else as files in FOLIO_HOME."""

import json
import logging
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from preprocessing.errors import FolioError
from retrieval.documents.database import DatabaseError, open_database, said_of_database, shown
from retrieval.settings import RetrievalSettings

logger = logging.getLogger(__name__)

Record = dict[str, Any]
_TRACE_ID = re.compile(r"[0-9a-f]{32}")
_HEAD_BYTES = 2048
"""Hold the line that names the session of a file: a folder may hold very many of them."""

_tables = sa.MetaData()

_traces = sa.Table(
    "traces",
    _tables,
    sa.Column("trace_id", sa.String(32), primary_key=True),
    sa.Column("session", sa.String(64), nullable=False, index=True),
    sa.Column("started_at", sa.String(40), nullable=False),
    sa.Column("record", sa.JSON, nullable=False),
)


class UnknownTrace(FolioError):
    """There is no trace of that id."""


class FolderTraces:
    """A file `<trace id>.json` for each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, record: Record) -> None:
        """Write the file."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            # Half a surrogate pair has no UTF-8 form; the escape is what JSON calls it.
            (self._folder / f"{record['trace_id']}.json").write_text(
                json.dumps(record, ensure_ascii=False, indent=1), encoding="utf-8", errors="backslashreplace"
            )
        except OSError as problem:
            logger.warning("the trace was not written: %s", problem)

    def read(self, trace_id: str) -> Record:
        """Read the file; raise UnknownTrace also for one cut short by a crash."""
        path = self._folder / f"{trace_id}.json"
        if not _TRACE_ID.fullmatch(trace_id) or not path.is_file():
            raise _unknown(trace_id, str(self._folder))
        try:
            record: Record = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            raise UnknownTrace(f"the trace {path} is damaged; ask the question again for a new one") from None
        return record

    def forget(self, session: str) -> None:
        """Delete the files that name the session."""
        named = f'\n "session": {json.dumps(session, ensure_ascii=False)},\n'.encode("utf-8", "backslashreplace")
        for path in self._folder.glob("*.json"):
            with suppress(OSError), path.open("rb") as file:
                if named in file.read(_HEAD_BYTES):
                    path.unlink()

    def close(self) -> None:
        """Do nothing: no file is left open."""


class DatabaseTraces:
    """A row for each, seen by every process on the database."""

    def __init__(self, engine: sa.Engine) -> None:
        """Take a database that has the tables."""
        self._engine = engine

    def keep(self, record: Record) -> None:
        """Write the row."""
        values = {name: record[name] for name in ("trace_id", "session", "started_at")}
        try:
            with self._engine.begin() as connection:
                connection.execute(sa.insert(_traces).values(**values, record=record))
        except (DatabaseError, sa.exc.SQLAlchemyError) as problem:
            logger.warning("the trace was not written: %s", " ".join(str(problem).split()))

    def read(self, trace_id: str) -> Record:
        """Read the row."""
        with self._engine.connect() as connection:
            query = sa.select(_traces.c.record).where(_traces.c.trace_id == trace_id)
            record: Record | None = connection.execute(query).scalar_one_or_none()
        if record is None:
            raise _unknown(trace_id, shown(self._engine.url))
        return record

    def forget(self, session: str) -> None:
        """Delete the rows of the session."""
        with self._engine.begin() as connection:
            connection.execute(sa.delete(_traces).where(_traces.c.session == session))

    def close(self) -> None:
        """Release the connections."""
        self._engine.dispose()


Traces = FolderTraces | DatabaseTraces
"""Records of questions by their ids; one that cannot be kept costs a warning, and never the answer."""


def open_traces(settings: RetrievalSettings) -> Traces:
    """Open the traces in FOLIO_DATABASE_URL, else in FOLIO_HOME. Raises FolioError for a wrong address."""
    if settings.database_url is None:
        return FolderTraces(settings.home / "traces")
    url = settings.database_url.get_secret_value()
    with said_of_database(url):
        return DatabaseTraces(open_database(url, _tables))


def _unknown(trace_id: str, place: str) -> UnknownTrace:
    return UnknownTrace(f"there is no trace {trace_id!r} in {place}; `folio ask` prints the id of each answer")
