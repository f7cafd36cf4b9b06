"""One process owns an embedded store: an operating-system lock, gone when that process dies."""

import os
from pathlib import Path
from typing import TextIO

import portalocker

from preprocessing.errors import FolioError


class StoreLocked(FolioError):
    """Another process has the store open."""


class FolderLock:
    """Holds the lock of a folder from creation until `release`.

    The file stays behind on purpose: what counts is the lock on it, and removing the file would let two
    processes hold locks on two files of one name.
    """

    def __init__(self, folder: Path) -> None:
        """Take the lock; raises StoreLocked when it is held."""
        # Opened for appending: the holder's number must survive a second process that only looks.
        file = (folder / "store.lock").open("a+", encoding="utf-8")
        try:
            portalocker.lock(file, portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING)
        except portalocker.LockException as error:
            holder = _holder(file)
            file.close()
            raise StoreLocked(
                f"store {folder} is in use by process {holder}: "
                "stop that process, or set FOLIO_QDRANT_URL so that several share a Qdrant server"
            ) from error
        file.seek(0)
        file.truncate()
        file.write(str(os.getpid()))
        file.flush()
        self._file = file

    def release(self) -> None:
        """Let another process in; calling it twice is harmless."""
        self._file.close()


def _holder(file: TextIO) -> str:
    try:
        file.seek(0)
        return file.read().strip() or "unknown"
    except OSError:
        # Windows refuses to read a locked file.
        return "unknown"
