"""Questions and their answers, whole or as server-sent events."""

from collections.abc import AsyncIterator
from functools import partial
from typing import Any
from uuid import uuid4

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response, StreamingResponse

from agent.answer import CitedAnswer
from agent.http.caller import Caller, Reader
from agent.http.door import AtDoor, Door, run_in
from agent.http.events import COMMENT, EVENTS_EXAMPLE, EVENTS_SCHEMA, HEADERS, Telling, as_event
from agent.http.media_types import takes_json
from agent.http.openapi import problems
from agent.http.problems import Refused, problem_of
from agent.http.replies import chat_reply
from agent.http.shapes import ChatReply, ChatRequest

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
    session = await run_in(at.answers, partial(claim, at, caller, body.session))
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


def claim(at: Door, caller: Caller, session: str | None) -> str:
    """Return the session to ask in, the caller's from now on. Raises Refused for one of another key."""
    session = session or uuid4().hex[:12]
    if not at.owners.claim(session, caller.id):
        raise Refused(404, f"there is no session {session!r}; leave it out to begin a new one")
    return session


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
