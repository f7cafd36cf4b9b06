"""Where uploads are that were answered before they were in: every server on the database can say so."""

import os
import platform
import time
from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa

from agent.http.bring_in import DocumentTaken
from agent.http.database import uploads as _uploads

Status = Literal["waiting", "running", "done", "failed"]
UNDER_WAY: tuple[Status, ...] = ("waiting", "running")
_KEPT_SECONDS = 7 * 24 * 3600.0
_LOST_SECONDS = 24 * 3600.0
"""After so long without news from its server, an upload is taken for lost."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an upload is not in, as problem details say it."""

    status: int
    detail: str


LOST = Failure(500, "the server ended before it was in; send it again")


@dataclass(frozen=True, slots=True)
class Upload:
    """A document that is brought in after its request was answered."""

    id: str
    owner: str
    filename: str
    status: Status = "waiting"
    document: DocumentTaken | None = None
    failure: Failure | None = None


class UploadStates:
    """The uploads of all servers on a database."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._here = {"host": platform.node(), "process": os.getpid()}

    def begin(self, upload: Upload) -> None:
        """Write an upload down, and forget those of last week."""
        values = {name: getattr(upload, name) for name in ("id", "owner", "filename", "status")}
        with self._engine.begin() as connection:
            connection.execute(sa.delete(_uploads).where(_uploads.c.updated_at < time.time() - _KEPT_SECONDS))
            connection.execute(sa.insert(_uploads).values(**values, **self._here, updated_at=time.time()))

    def update(self, upload: Upload) -> None:
        """Write down where an upload is now."""
        values: dict[str, Any] = {"status": upload.status, "updated_at": time.time()}
        if upload.document:
            values["document"] = upload.document.model_dump()
        if upload.failure:
            values |= {"failed_with": upload.failure.status, "failure": upload.failure.detail}
        with self._engine.begin() as connection:
            connection.execute(sa.update(_uploads).where(_uploads.c.id == upload.id).values(**values))

    def find(self, upload_id: str) -> Upload | None:
        """Return an upload, None when there is none of that id."""
        with self._engine.connect() as connection:
            row = connection.execute(sa.select(_uploads).where(_uploads.c.id == upload_id)).one_or_none()
        if row is None:
            return None
        failure = Failure(row.failed_with, row.failure) if row.failure else None
        is_lost = row.status in UNDER_WAY and row.updated_at < time.time() - _LOST_SECONDS
        return Upload(
            row.id,
            row.owner,
            row.filename,
            "failed" if is_lost else row.status,
            DocumentTaken(**row.document) if row.document else None,
            LOST if is_lost else failure,
        )

    def give_up_lost(self) -> None:
        """Say of uploads that a server of this machine left behind that they are not in."""
        under_way = (_uploads.c.status.in_(UNDER_WAY), _uploads.c.host == self._here["host"])
        lost = {"status": "failed", "failed_with": LOST.status, "failure": LOST.detail, "updated_at": time.time()}
        with self._engine.begin() as connection:
            rows = connection.execute(sa.select(_uploads.c.id, _uploads.c.process).where(*under_way)).all()
            ended = [row.id for row in rows if row.process == self._here["process"] or not _is_alive(row.process)]
            connection.execute(sa.update(_uploads).where(_uploads.c.id.in_(ended), *under_way).values(**lost))


def _is_alive(process: int) -> bool:
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
