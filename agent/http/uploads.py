"""Documents are brought in one after the other; large ones after their request was answered."""

import contextvars
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from uuid import uuid4

import sqlalchemy as sa

from agent.http.bring_in import DocumentTaken
from agent.http.problems import Refused, said
from agent.http.upload_states import UNDER_WAY, Failure, Upload, UploadStates
from retrieval.database import DatabaseError

logger = logging.getLogger(__name__)

MOST_WAITING = 100
_MOST_REMEMBERED = 1000


class Uploads:
    """One worker, and what became of the latest uploads: of this process at hand, of others in the database."""

    def __init__(self, states: UploadStates) -> None:
        self.worker = ThreadPoolExecutor(1, thread_name_prefix="ingest")
        self._states = states
        self._uploads: OrderedDict[str, Upload] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def waiting(self) -> int:
        """Return how many uploads this process accepted that are not in yet."""
        with self._lock:
            return sum(upload.status in UNDER_WAY for upload in self._uploads.values())

    def later(self, owner: str, filename: str, work: Callable[[], DocumentTaken]) -> Upload:
        """Bring a document in when its turn comes. Raises Refused when too many wait."""
        if self.waiting >= MOST_WAITING:
            raise Refused(429, f"{MOST_WAITING} uploads are waiting; try again later", {"Retry-After": "30"})
        upload = Upload(uuid4().hex, owner, filename)
        self._states.begin(upload)
        self._remember(upload)
        self.worker.submit(contextvars.copy_context().run, self._run, upload, work)
        return upload

    def find(self, upload_id: str, owner: str) -> Upload:
        """Return an upload of the owner. Raises Refused when there is none."""
        with self._lock:
            upload = self._uploads.get(upload_id)
        upload = upload or self._states.find(upload_id)
        if upload is None or upload.owner != owner:
            raise Refused(404, f"there is no upload {upload_id!r}; they are forgotten after a week")
        return upload

    def close(self) -> None:
        """Bring in what was accepted, then stop."""
        self.worker.shutdown()

    def _run(self, upload: Upload, work: Callable[[], DocumentTaken]) -> None:
        self._set(replace(upload, status="running"))
        try:
            done = replace(upload, status="done", document=work())
        except Exception as error:  # noqa: BLE001  it is told to whoever asks for the status
            logger.warning("the upload %s was not brought in: %s", upload.filename, error)
            status, detail, _ = said(error)
            done = replace(upload, status="failed", failure=Failure(status, detail))
        self._set(done)

    def _set(self, upload: Upload) -> None:
        self._remember(upload)
        try:
            self._states.update(upload)
        except (DatabaseError, sa.exc.SQLAlchemyError) as error:
            # Whoever asks this process is told all the same.
            logger.warning("where the upload %s is was not written down: %s", upload.filename, error)

    def _remember(self, upload: Upload) -> None:
        with self._lock:
            self._uploads[upload.id] = upload
            while len(self._uploads) > _MOST_REMEMBERED:
                self._uploads.popitem(last=False)
