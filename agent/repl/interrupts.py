"""Ctrl-C: stops what is being done, once, and never the chat."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

IMPATIENT_SECONDS = 1.0
"""A second Ctrl-C within this time is the same one: what is stopped must be able to put things in order."""


class Interrupts:
    """Lets Ctrl-C through only where something waits for it."""

    def __init__(self) -> None:
        self._are_allowed = False
        self._last = float("-inf")

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Be in charge of Ctrl-C, in the main thread."""
        before = signal.signal(signal.SIGINT, self._handle)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    @contextmanager
    def allowed(self) -> Iterator[None]:
        """Let Ctrl-C raise KeyboardInterrupt in the block."""
        self._are_allowed = True
        try:
            yield
        finally:
            self._are_allowed = False

    def _handle(self, _signal: int, _frame: Any) -> None:
        now = time.monotonic()
        if self._are_allowed and now - self._last > IMPATIENT_SECONDS:
            self._last = now
            raise KeyboardInterrupt
