"""Several files are loaded at a time, while the caller does something else."""

import os
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Self

from preprocessing.document import Document
from preprocessing.loader import Loader

_MOST = 4
"""Each may hold a large file in memory."""


class Loaders:
    """Loads files in processes of their own, as many at a time as half the cores; the others are for the model."""

    def __init__(self, count: int | None = None) -> None:
        self.count = count or max(1, min(_MOST, _cores() // 2))
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


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
