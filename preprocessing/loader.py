"""Files are loaded in processes of their own; one that hangs or crashes costs nothing but itself."""

import contextlib
import logging
import os
import pickle
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Self

from preprocessing.document import Document
from preprocessing.errors import LoadError
from preprocessing.load import load
from preprocessing.process import MEMORY_BYTES, TIMED_OUT, command, cores, environment, limit

MAX_SECONDS = 300
"""Time for a file, of whatever format."""
MAX_SECONDS_PDF = 3600
"""Time for a PDF, whose pages have limits of their own, since thousands may have to be read, or recognised."""
_SMALL_BYTES = 32 * 1024
_SMALL_TEXT = frozenset({".md", ".txt", ".csv"})
"""Text files up to this size are loaded here: that takes less time than to ask another process."""
_PDF_MARK_WITHIN = 1024
_MOST = 4
"""Each may hold a large file in memory."""


class Loader:
    """Loads one file at a time; the process is started by the first file that needs it, and again after a bad one."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._starting = threading.Lock()
        self._is_closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process, whatever it is doing; calling it twice, or from another thread, is harmless."""
        with self._starting:
            self._is_closed = True
            process, self._process = self._process, None
        if process:
            _end(process)

    def load(
        self,
        path: Path,
        *,
        source: str,
        metadata: Mapping[str, str | tuple[str, ...]] = {},
        password: str | None = None,
    ) -> Document:
        """Read a file as `preprocessing.load.load` does; raise LoadError also when it takes too long or crashes."""
        options: dict[str, Any] = {"source": source, "metadata": dict(metadata), "password": password}
        if _is_small_text(path):
            return load(path, **options)
        seconds, process = _seconds(path), self._started()
        try:
            with _killed_after(seconds, process) as is_late:
                pickle.dump({"path": path.absolute(), **options}, process.stdin)  # type: ignore[arg-type]
                process.stdin.flush()  # type: ignore[union-attr]
                answer = pickle.load(process.stdout)  # type: ignore[arg-type]
        except BaseException as error:
            code = self._give_up(process)  # what it would answer next belongs to no request
            if is_late.is_set():
                raise LoadError(f"{source}: reading took more than {seconds} seconds; split the file") from error
            if code == TIMED_OUT:
                raise LoadError(f"{source}: a page takes too long to read; print the file to a new PDF") from error
            if isinstance(error, (EOFError, OSError, pickle.UnpicklingError)):
                how = f"exit {code}"
                raise LoadError(f"{source}: the reader stopped ({how}); save it anew from its own program") from error
            raise
        if isinstance(answer, Exception):
            raise answer
        document: Document = answer
        return document

    def _give_up(self, process: subprocess.Popen[bytes]) -> int:
        with self._starting:
            self._process = None
        return _end(process)

    def _started(self) -> subprocess.Popen[bytes]:
        with self._starting:
            if self._is_closed:
                raise RuntimeError("the loader is closed")
            if self._process is None:
                self._process = subprocess.Popen(
                    command(__name__),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=environment(),
                )
            return self._process


def _is_small_text(path: Path) -> bool:
    try:
        return path.suffix.lower() in _SMALL_TEXT and path.stat().st_size <= _SMALL_BYTES
    except OSError:
        return True  # what is wrong with it is found out sooner here


def _seconds(path: Path) -> int:
    try:
        with path.open("rb") as file:
            is_pdf = b"%PDF-" in file.read(_PDF_MARK_WITHIN)
    except OSError:
        is_pdf = False
    return MAX_SECONDS_PDF if is_pdf else MAX_SECONDS


@contextlib.contextmanager
def _killed_after(seconds: float, process: subprocess.Popen[bytes]) -> Iterator[threading.Event]:
    """Kill the process unless the body is done in time; yield what says whether it was."""
    is_late = threading.Event()

    def kill() -> None:
        is_late.set()
        process.kill()

    timer = threading.Timer(seconds, kill)
    timer.daemon = True
    timer.start()
    try:
        yield is_late
    finally:
        timer.cancel()


def _end(process: subprocess.Popen[bytes]) -> int:
    process.kill()
    code = process.wait()
    for pipe in (process.stdin, process.stdout):
        with contextlib.suppress(OSError):  # what was not yet written has no reader any more
            pipe.close()  # type: ignore[union-attr]
    return code


class Loaders:
    """Loads files in processes of their own, as many at a time as half the cores; the others are for the model."""

    def __init__(self, count: int | None = None) -> None:
        self.count = count or max(1, min(_MOST, cores() // 2))
        self._all = [Loader() for _ in range(self.count)]
        self._free: SimpleQueue[Loader] = SimpleQueue()
        for loader in self._all:
            self._free.put(loader)
        self._threads = ThreadPoolExecutor(self.count, thread_name_prefix="load")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop, also in the middle of a file."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for loader in self._all:
            loader.close()
        self._threads.shutdown()

    def load(self, path: Path, source: str, metadata: Mapping[str, str | tuple[str, ...]]) -> Future[Document]:
        """Begin to load a file; the result raises LoadError."""
        return self._threads.submit(self._load, path, source, metadata)

    def _load(self, path: Path, source: str, metadata: Mapping[str, str | tuple[str, ...]]) -> Document:
        loader = self._free.get()
        try:
            return loader.load(path, source=source, metadata=metadata)
        finally:
            self._free.put(loader)


def main() -> None:
    """Answer requests on standard input, each with a document or an error, until there are no more."""
    logging.disable(logging.CRITICAL)
    limit()
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not stand between the answers
    while True:
        try:
            request = pickle.load(requests)
        except EOFError:
            return
        pickle.dump(answer(request), answers)
        answers.flush()


def answer(request: dict[str, Any]) -> Document | Exception:
    """Return the document that `load` makes with these arguments, or why there is none."""
    try:
        return load(**request)
    except LoadError as error:
        return error
    except MemoryError:
        return LoadError(f"{request['source']}: needs more than {MEMORY_BYTES >> 30} GB of memory; split the file")
    except Exception as error:  # noqa: BLE001  a bug, told with its stack trace by the process that asked
        unexpected = RuntimeError(f"{type(error).__name__}: {error}")
        unexpected.add_note(traceback.format_exc())
        return unexpected
