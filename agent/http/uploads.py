"""Uploads become documents one after the other; large ones after their request was answered."""

import contextvars
import hashlib
import logging
import os
import platform
import time
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any, Literal
from uuid import uuid4

import sqlalchemy as sa
from pydantic import BaseModel

from agent.http.keys import Caller
from agent.http.keys import uploads as _uploads
from agent.http.problems import Refused, said
from preprocessing.document import document_id
from preprocessing.errors import LoadError
from preprocessing.load import OPENED, unsupported
from preprocessing.visibility import PUBLIC, groups_of, is_visibility
from retrieval.documents.database import DatabaseError
from retrieval.documents.schema import DocumentRecord
from retrieval.ingest import Metadata
from retrieval.knowledge_base import KnowledgeBase


class DocumentTaken(BaseModel):
    """A document that is in."""

    document_id: str
    filename: str
    chunk_count: int
    outcome: Literal["new", "updated", "unchanged"]
    warnings: list[str]
    """What a person should know, such as pages without text."""


def checked_name(name: str | None) -> str:
    """Return the name of a document that an upload may have. Raises Refused for a type that is not read."""
    # A Mac sends the parts of a letter one by one; the same name is the same document from everywhere.
    name = unicodedata.normalize("NFC", name or "")
    if Path(name).suffix.lower() not in OPENED:
        raise Refused(415, unsupported(Path(name)))
    return name


def check_metadata(metadata: Metadata, caller: Caller) -> None:
    """Refuse to show a document to groups that the caller is not of; an administrator may."""
    stated = [groups_of(value) for key, value in metadata.items() if is_visibility(key)]
    foreign = {group for groups in stated for group in groups} - {*caller.groups, PUBLIC}
    if foreign and not caller.may("admin"):
        raise Refused(403, f"this key is not of the group {min(foreign)!r}, so it cannot make documents visible to it")


def bring_in(
    knowledge_base: KnowledgeBase, caller: Caller, data: bytes, name: str, metadata: Metadata, *, replace: bool
) -> DocumentTaken:
    """Bring the bytes in as the document of that name.

    Raises Refused when another document has the name and is not to be replaced, or is none of the caller's, and
    whatever kept the file from being read.
    """
    if not data.strip():
        raise Refused(400, f"{name}: file is empty")
    doc_id = document_id(Path(name))
    before = knowledge_base.document(doc_id)
    if before and not _may_see(caller, before):
        raise Refused(409, f"there is a document {name} already; send another name")
    is_same = before is not None and knowledge_base.is_made_from(doc_id, hashlib.sha256(data).hexdigest())
    if before and not is_same and not replace:
        raise Refused(
            409,
            f"there is a document {name} already; send replace=true to put this in its place, or another name",
            document_id=doc_id,
        )
    report = knowledge_base.ingest_data(data, name, metadata)
    for source, reason in report.failed:
        cause = report.causes.get(source)
        raise LoadError(f"{name}: {reason}") if cause is None or isinstance(cause, LoadError) else cause
    return DocumentTaken(
        document_id=doc_id,
        filename=PurePosixPath(name).name,
        chunk_count=report.chunks,
        outcome="unchanged" if report.unchanged else "updated" if report.updated else "new",
        warnings=[warning for _, warning in report.warnings],
    )


def _may_see(caller: Caller, record: DocumentRecord) -> bool:
    return not record.visible_to or caller.may("admin") or not set(record.visible_to).isdisjoint(caller.groups)


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


logger = logging.getLogger(__name__)

MOST_WAITING = 100


class Uploads:
    """One worker that brings documents in after their requests were answered; the database says where each is."""

    def __init__(self, states: UploadStates) -> None:
        self.worker = ThreadPoolExecutor(1, thread_name_prefix="ingest")
        self._states = states
        self._waiting: set[str] = set()

    @property
    def waiting(self) -> int:
        """Return how many uploads this process accepted that are not in yet."""
        return len(self._waiting)

    def later(self, owner: str, filename: str, work: Callable[[], DocumentTaken]) -> Upload:
        """Bring a document in when its turn comes. Raises Refused when too many wait."""
        if self.waiting >= MOST_WAITING:
            raise Refused(429, f"{MOST_WAITING} uploads are waiting; try again later", {"Retry-After": "30"})
        upload = Upload(uuid4().hex, owner, filename)
        self._states.begin(upload)
        self._waiting.add(upload.id)
        self.worker.submit(contextvars.copy_context().run, self._run, upload, work)
        return upload

    def find(self, upload_id: str, owner: str) -> Upload:
        """Return an upload of the owner. Raises Refused when there is none."""
        upload = self._states.find(upload_id)
        if upload is None or upload.owner != owner:
            raise Refused(404, f"there is no upload {upload_id!r}; they are forgotten after a week")
        return upload

    def close(self) -> None:
        """Bring in what was accepted, then stop."""
        self.worker.shutdown()

    def _run(self, upload: Upload, work: Callable[[], DocumentTaken]) -> None:
        try:
            self._note(replace(upload, status="running"))
            self._note(replace(upload, status="done", document=work()))
        except Exception as error:  # noqa: BLE001  it is told to whoever asks for the status
            logger.warning("the upload %s was not brought in: %s", upload.filename, error)
            status, detail, _ = said(error)
            self._note(replace(upload, status="failed", failure=Failure(status, detail)))
        finally:
            self._waiting.discard(upload.id)

    def _note(self, upload: Upload) -> None:
        try:
            self._states.update(upload)
        except (DatabaseError, sa.exc.SQLAlchemyError) as error:
            # The document itself is as it would be.
            logger.warning("where the upload %s is was not written down: %s", upload.filename, error)
