"""Documents are brought in one after the other; large ones after their request was answered."""

import contextvars
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Generic, Literal, TypeVar
from uuid import uuid4

from agent.http.problems import Refused

logger = logging.getLogger(__name__)

Status = Literal["waiting", "running", "done", "failed"]
T = TypeVar("T")

MOST_WAITING = 100
_MOST_REMEMBERED = 1000


@dataclass(frozen=True, slots=True)
class Upload(Generic[T]):
    """A document that is brought in after its request was answered."""

    id: str
    owner: str
    filename: str
    status: Status = "waiting"
    result: T | None = None
    error: Exception | None = None


class Uploads:
    """One worker, and what became of the latest uploads. Known to this process alone, until it ends."""

    def __init__(self) -> None:
        self.worker = ThreadPoolExecutor(1, thread_name_prefix="ingest")
        self._uploads: OrderedDict[str, Upload[object]] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def waiting(self) -> int:
        """Return how many uploads were accepted and are not in yet."""
        with self._lock:
            return sum(upload.status in ("waiting", "running") for upload in self._uploads.values())

    def later(self, owner: str, filename: str, work: Callable[[], object]) -> Upload[object]:
        """Bring a document in when its turn comes. Raises Refused when too many wait."""
        if self.waiting >= MOST_WAITING:
            raise Refused(429, f"{MOST_WAITING} uploads are waiting; try again later", {"Retry-After": "30"})
        upload: Upload[object] = Upload(uuid4().hex, owner, filename)
        self._set(upload)
        self.worker.submit(contextvars.copy_context().run, self._run, upload, work)
        return upload

    def find(self, upload_id: str, owner: str) -> Upload[object]:
        """Return an upload of the owner. Raises Refused when there is none."""
        with self._lock:
            upload = self._uploads.get(upload_id)
        if upload is None or upload.owner != owner:
            raise Refused(404, f"there is no upload {upload_id!r}; they are forgotten when the server is started anew")
        return upload

    def close(self) -> None:
        """Bring in what was accepted, then stop."""
        self.worker.shutdown()

    def _run(self, upload: Upload[object], work: Callable[[], object]) -> None:
        self._set(replace(upload, status="running"))
        try:
            done = replace(upload, status="done", result=work())
        except Exception as error:  # noqa: BLE001  it is told to whoever asks for the status
            logger.warning("the upload %s was not brought in: %s", upload.filename, error)
            done = replace(upload, status="failed", error=error)
        self._set(done)

    def _set(self, upload: Upload[object]) -> None:
        with self._lock:
            self._uploads[upload.id] = upload
            while len(self._uploads) > _MOST_REMEMBERED:
                self._uploads.popitem(last=False)
