"""Wait until every search that may still see an old state is over."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager


class Readers:
    """Counts readers by the epoch they began in.

    A writer waits for those of earlier epochs only, so it never starves.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._epoch = 0
        self._running: Counter[int] = Counter()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Count as a reader of the present epoch."""
        with self._changed:
            epoch = self._epoch
            self._running[epoch] += 1
        try:
            yield
        finally:
            with self._changed:
                self._running[epoch] -= 1
                if not self._running[epoch]:
                    del self._running[epoch]
                self._changed.notify_all()

    def wait_for_earlier(self) -> None:
        """Return when every reader that began before this call has ended; later ones are not waited for."""
        with self._changed:
            before = self._epoch
            self._epoch += 1
            self._changed.wait_for(lambda: all(epoch > before for epoch in self._running))
