"""Sending many items to a server that takes so many at a time, and does not always say how many."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import TypeVar

from retrieval.endpoint_errors import RequestRefused

T = TypeVar("T")
R = TypeVar("R")


class Batches:
    """Cuts items into batches; a refused one is halved, and a size that is too much is not tried again."""

    def __init__(self, most: int, at_once: int = 1) -> None:
        """Send at most `most` items a request, and at most `at_once` requests at the same time."""
        self._most = most
        self._at_once = at_once

    def send(self, items: Sequence[T], request: Callable[[Sequence[T]], Sequence[R]]) -> list[R]:
        """Return the results of all the items in their order; `request` gives one result an item.

        Raises the RequestRefused of an item that is refused when it is alone.
        """
        batches = [items[start : start + self._most] for start in range(0, len(items), self._most)]
        if len(batches) < 2 or self._at_once < 2:
            return list(chain.from_iterable(self._taken(batch, request)[0] for batch in batches))
        with ThreadPoolExecutor(min(self._at_once, len(batches))) as pool:
            return list(chain.from_iterable(found for found, _ in pool.map(lambda b: self._taken(b, request), batches)))

    def _taken(self, batch: Sequence[T], request: Callable[[Sequence[T]], Sequence[R]]) -> tuple[list[R], bool]:
        """Return the results, and whether the server took the batch whole."""
        if len(batch) > self._most:
            return self.send(batch, request), False
        try:
            return list(request(batch)), True
        except RequestRefused:
            if len(batch) < 2:
                raise
        middle = (len(batch) + 1) // 2
        (first, first_whole), (rest, rest_whole) = (
            self._taken(half, request) for half in (batch[:middle], batch[middle:])
        )
        if first_whole and rest_whole:
            # Both halves pass and the whole does not, so it is the number and no single item that was too much.
            self._most = min(self._most, middle)
        return first + rest, False
