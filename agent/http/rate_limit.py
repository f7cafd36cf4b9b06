"""How often a key may ask: a bucket of requests that fills up again as time passes."""

import threading
import time
from collections.abc import Callable


class RateLimit:
    """So many requests a minute for each key; those not made are saved up for one minute."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_minute = per_minute
        self._clock = clock
        self._left: dict[str, tuple[float, float]] = {}
        self._lock = threading.Lock()

    def take(self, key_id: str) -> float:
        """Count a request and return 0, or the seconds until the next one is allowed."""
        if not self._per_minute:
            return 0.0
        a_second = self._per_minute / 60
        with self._lock:
            now = self._clock()
            left, since = self._left.get(key_id, (float(self._per_minute), now))
            left = min(left + (now - since) * a_second, float(self._per_minute))
            allowed = left >= 1
            self._left[key_id] = (left - allowed, now)
        return 0.0 if allowed else (1 - left) / a_second
