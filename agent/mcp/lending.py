"""The assistant behind the tools: opened when one is first called, and closed when none was called for a while."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from agent.assistant import Assistant


class Lending:
    """Lends the assistant to calls in any number of threads.

    One process at a time owns the folder of an index, and a client keeps its servers running all day: between calls,
    other commands must be able to use it.
    """

    def __init__(self, open_: Callable[[], Assistant], idle_seconds: float) -> None:
        self._open = open_
        self._idle_seconds = idle_seconds
        self._lock = threading.Lock()
        self._all_back = threading.Event()
        self._all_back.set()
        self._assistant: Assistant | None = None
        self._borrowers = 0
        self._timer: threading.Timer | None = None
        self._is_over = False

    @contextmanager
    def assistant(self) -> Iterator[Assistant]:
        """Lend the assistant for one call. Raises FolioError when it cannot be opened, as for an index in use."""
        with self._lock:
            self._stop_timer()
            assistant = self._assistant = self._assistant or self._open()
            self._borrowers += 1
            self._all_back.clear()
        try:
            yield assistant
        finally:
            with self._lock:
                self._borrowers -= 1
                if not self._borrowers:
                    self._wait_or_close()
                    self._all_back.set()

    def close(self) -> None:
        """Close the assistant, or let the last of the calls under way close it."""
        with self._lock:
            self._is_over = True
            self._stop_timer()
            self._close_unless_lent()

    def is_back_within(self, seconds: float) -> bool:
        """Wait so long for the calls under way; say whether all of them have ended."""
        return self._all_back.wait(seconds)

    def _wait_or_close(self) -> None:
        if self._is_over:
            self._close_unless_lent()
            return
        self._timer = threading.Timer(self._idle_seconds, self._close_when_idle)
        self._timer.daemon = True
        self._timer.start()

    def _close_when_idle(self) -> None:
        with self._lock:
            self._close_unless_lent()

    def _close_unless_lent(self) -> None:
        if self._assistant and not self._borrowers:
            self._assistant.close()
            self._assistant = None

    def _stop_timer(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
