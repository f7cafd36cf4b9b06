"""Questions and their answers, whole or as server-sent events."""

import asyncio
import contextlib
import json
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor
from functools import partial
from typing import Any

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response, StreamingResponse

from agent.answer import CitedAnswer
from agent.http.door import AtDoor, Door, Reader, run_in, takes_json
from agent.http.problems import problem_of, problems
from agent.view.bodies import ChatReply, ChatRequest, chat_reply

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


router = APIRouter(tags=["chat"])


@router.post(
    "/api/chat",
    response_model=ChatReply,
    dependencies=[Depends(takes_json)],
    responses={
        200: {"content": {"text/event-stream": {"schema": EVENTS_SCHEMA, "example": EVENTS_EXAMPLE}}},
        **problems(400, 404, 413, 415, 422, 502, 504),
    },
)
async def chat(body: ChatRequest, at: AtDoor, caller: Reader, request: Request) -> ChatReply | Response:
    """Answer a question from the documents.

    With `stream`, events come as they happen: `step` (a decision or what it brought), `token` (text of a draft that is
    not checked yet; a higher `draft` makes all before it void, and the last one is the answer), `sources`, and at the
    end `done` (the whole answer as without `stream`) or `error` (problem details).
    """
    filters = body.checked_filters()
    session = await run_in(at.answers, partial(at.owners.named, body.session, caller.id))
    ask = partial(
        at.assistant.ask,
        body.question,
        session,
        filters=filters,
        viewer=caller.groups,
        as_of=body.as_of,
        top_k=body.top_k,
    )
    if not body.stream:
        return reply(at, await run_in(at.answers, ask))
    telling = Telling(lambda tell: ask(listen=partial(tell, "step"), on_draft=partial(_draft, tell)))
    return StreamingResponse(_events(at, telling, request), headers=HEADERS, media_type="text/event-stream")


def reply(at: Door, answer: CitedAnswer) -> ChatReply:
    """Return the answer with the passages that it cites."""
    return chat_reply(answer, at.assistant.settings.chat_model_name)


async def _events(at: Door, telling: Telling, request: Request) -> AsyncIterator[bytes]:
    async for name, data in telling.until_done(at.answers):
        if name == "answer":
            whole = reply(at, data).model_dump()
            yield as_event("sources", {"sources": whole["sources"]})
            yield as_event("done", whole)
        elif name == "error":
            yield as_event("error", problem_of(request, data).model_dump(exclude_none=True))
        elif name == "silence":
            yield COMMENT
        else:
            yield as_event(name, data)


def _draft(tell: Any, number: int, text: str) -> None:
    tell("token", {"draft": number, "text": text})
