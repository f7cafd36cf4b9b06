"""Server-sent events: what a question tells while it is answered in a thread of its own."""

import asyncio
import contextlib
import json
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor
from typing import Any

from agent.answer import CitedAnswer
from agent.http.door import run_in

Tell = Callable[[str, Any], None]
"""Called with the name and the data of an event."""

HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
"""Nothing between here and the reader keeps events back."""
SILENCE_SECONDS = 15.0
"""After so long without an event `silence` is told, so that nothing on the way takes the connection for dead."""
COMMENT = b":\n\n"
EVENTS_SCHEMA = {
    "type": "object",
    "required": ["event", "data"],
    "properties": {
        "event": {"enum": ["step", "token", "sources", "done", "error"]},
        "data": {"type": "string", "description": "JSON."},
    },
}
"""Of one event."""
EVENTS_EXAMPLE = (
    'event: step\ndata: {"event": "action", "tool": "knowledge_search", "input": "年假"}\n\n'
    'event: token\ndata: {"draft": 1, "text": "转正员工年假 12 天。[S1]"}\n\n'
    'event: sources\ndata: {"sources": []}\n\n'
    'event: done\ndata: {"answer": "转正员工年假 12 天。[S1]"}\n\n'
)


class ReaderLeft(Exception):
    """Nobody reads the answer any more."""


class Telling:
    """A question that tells what it does, once."""

    def __init__(self, ask: Callable[[Tell], CitedAnswer]) -> None:
        self._ask = ask
        self._has_left = threading.Event()

    async def until_done(self, executor: Executor) -> AsyncIterator[tuple[str, Any]]:
        """Yield events as they happen, and at last `answer` with the answer or `error` with the exception.

        When the reader leaves, the question ends at its next event and is not remembered.
        """
        loop = asyncio.get_running_loop()
        told: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()

        def tell(name: str, data: Any) -> None:
            if self._has_left.is_set():
                raise ReaderLeft
            loop.call_soon_threadsafe(told.put_nowait, (name, data))

        def work() -> None:
            try:
                last: tuple[str, Any] = ("answer", self._ask(tell))
            except Exception as error:  # noqa: BLE001  it is told to the reader
                last = ("error", error)
            with contextlib.suppress(ReaderLeft):
                tell(*last)

        working = asyncio.ensure_future(run_in(executor, work))
        try:
            name = ""
            while name not in ("answer", "error"):
                try:
                    name, data = await asyncio.wait_for(told.get(), SILENCE_SECONDS)
                except TimeoutError:
                    name, data = "silence", None
                yield name, data
        finally:
            self._has_left.set()
            working.cancel()


def as_event(name: str, data: Any) -> bytes:
    """Return an event as it goes over the wire."""
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode("utf-8", "replace")
