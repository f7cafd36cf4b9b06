"""`/v1/chat/completions` in the shape of OpenAI's API, so that chat front ends can use Folio as a model."""

import hashlib
import json
import time
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Any, Literal
from uuid import uuid4

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response, StreamingResponse

from agent.answer import CitedAnswer
from agent.http.chat import COMMENT, HEADERS, Telling, reply
from agent.http.door import AtDoor, Door, Reader, run_in, takes_json
from agent.http.keys import Caller
from agent.http.problems import Refused, problem_of, problems
from agent.sessions.turn import Turn, as_turns
from agent.view.bodies import MAX_QUESTION_CHARS
from agent.view.text import answer_text

MODEL = "folio"


class Part(BaseModel):
    """A part of a message; only text is read."""

    type: str
    text: str | None = None


class Message(BaseModel):
    """A message of the conversation."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[Part] | None = None

    @property
    def text(self) -> str:
        """Return the text of the message."""
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.text)
        return self.content or ""


class StreamOptions(BaseModel):
    """What a stream holds besides the answer."""

    include_usage: bool = False


class CompletionRequest(BaseModel):
    """A conversation whose last message is the question; settings of a model, such as temperature, are not read."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "examples": [{"model": "folio", "messages": [{"role": "user", "content": "转正员工年假有几天？"}]}]
        },
    )

    model: str = MODEL
    messages: list[Message] = Field(min_length=1)
    user: str | None = Field(
        None,
        max_length=512,
        description="Whose conversation it is: Folio then remembers it, and of the messages reads only the last. "
        "Without it, the messages are the conversation and nothing is remembered.",
    )
    stream: bool | None = False
    stream_options: StreamOptions | None = None


class Reply(BaseModel):
    """What the assistant says."""

    role: Literal["assistant"] = "assistant"
    content: str


class Choice(BaseModel):
    """The one answer there is."""

    index: int = 0
    message: Reply
    finish_reason: Literal["stop"] = "stop"


class TokenUsage(BaseModel):
    """Tokens of all calls to the model behind the answer."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class Completion(BaseModel):
    """An answer with its sources under it."""

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[Choice]
    usage: TokenUsage
    folio: dict[str, Any] = Field(description="What the shape has no place for: the reply of /api/chat but its text.")


class Model(BaseModel):
    """A model that can be asked."""

    id: str = MODEL
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str = "folio"


class ModelList(BaseModel):
    """The models that can be asked: one."""

    object: Literal["list"] = "list"
    data: list[Model]


router = APIRouter(tags=["openai"])

_PIECE_CHARS = 24
_CHUNK_SCHEMA = {
    "type": "object",
    "required": ["data"],
    "properties": {"data": {"type": "string", "description": "JSON: a chat.completion.chunk; [DONE] is the last."}},
}


@router.get("/v1/models", responses=problems())
def list_models(_caller: Reader) -> ModelList:
    """Name the one model that there is."""
    return ModelList(data=[Model()])


@router.post(
    "/v1/chat/completions",
    response_model=Completion,
    dependencies=[Depends(takes_json)],
    responses={
        200: {"content": {"text/event-stream": {"schema": _CHUNK_SCHEMA}}},
        **problems(400, 404, 413, 415, 422, 502, 504),
    },
)
async def complete(body: CompletionRequest, at: AtDoor, caller: Reader, request: Request) -> Completion | Response:
    """Answer the last message, with the sources under the answer.

    A stream of this shape cannot take words back, so its pieces are those of the checked answer.
    """
    *earlier, last = body.messages
    question = last.text.replace("\0", " ").strip()
    if last.role != "user" or not question:
        raise Refused(422, "messages: the last one must be the user's, with a question in it")
    if len(question) > MAX_QUESTION_CHARS:
        raise Refused(422, f"messages: the last one is longer than {MAX_QUESTION_CHARS} characters")
    ask = partial(_ask, at, caller, question, body.user, _conversation(earlier))
    completion_id, created = f"chatcmpl-{uuid4().hex}", int(time.time())
    if not body.stream:
        answer = await run_in(at.answers, ask)
        return _completion(at, question, answer, completion_id, created)
    head = {"id": completion_id, "object": "chat.completion.chunk", "created": created, "model": MODEL}
    with_usage = body.stream_options is not None and body.stream_options.include_usage
    telling = Telling(lambda tell: ask(listen=partial(tell, "step")))
    chunks = _chunks(at, telling, question, head, request, with_usage=with_usage)
    return StreamingResponse(chunks, headers=HEADERS, media_type="text/event-stream")


def _ask(
    at: Door, caller: Caller, question: str, user: str | None, history: Sequence[Turn], listen: Any = None
) -> CitedAnswer:
    """Ask in the user's session, or in one that is forgotten afterwards."""
    ask = partial(at.assistant.ask, question, viewer=caller.groups, listen=listen)
    if not user:
        session = at.owners.named(None, caller.id)
        try:
            return ask(session, history=history)
        finally:
            at.assistant.sessions.forget(session)
    # Two keys may well have users of the same name.
    digest = hashlib.sha256(f"{caller.id}\n{user}".encode("utf-8", "replace")).hexdigest()
    session = at.owners.named(f"user-{digest[:20]}", caller.id)
    is_new = not at.assistant.sessions.turns(session)
    return ask(session, history=history if is_new else ())


def _conversation(messages: Sequence[Message]) -> list[Turn]:
    return as_turns(
        [{"role": message.role, "text": message.text} for message in messages if message.role in ("user", "assistant")]
    )


def _completion(at: Door, question: str, answer: CitedAnswer, completion_id: str, created: int) -> Completion:
    return Completion(
        id=completion_id,
        created=created,
        model=MODEL,
        choices=[Choice(message=Reply(content=answer_text(question, answer)))],
        usage=_usage(answer),
        folio=reply(at, answer).model_dump(exclude={"answer"}),
    )


async def _chunks(
    at: Door, telling: Telling, question: str, head: dict[str, Any], request: Request, *, with_usage: bool
) -> AsyncIterator[bytes]:
    yield _chunk(head, {"role": "assistant", "content": ""})
    async for name, data in telling.until_done(at.answers):
        if name == "error":
            yield _data({"error": problem_of(request, data).model_dump()["error"]})
        elif name != "answer":
            yield COMMENT
        else:
            text = answer_text(question, data)
            for start in range(0, len(text), _PIECE_CHARS):
                yield _chunk(head, {"content": text[start : start + _PIECE_CHARS]})
            yield _data(
                {
                    **head,
                    "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}],
                    "folio": reply(at, data).model_dump(exclude={"answer"}),
                }
            )
            if with_usage:
                yield _data({**head, "choices": [], "usage": _usage(data).model_dump()})
    yield b"data: [DONE]\n\n"


def _chunk(head: dict[str, Any], delta: dict[str, str]) -> bytes:
    return _data({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})


def _data(value: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n".encode("utf-8", "replace")


def _usage(answer: CitedAnswer) -> TokenUsage:
    prompt, completion = (answer.usage[name] for name in ("prompt_tokens", "completion_tokens"))
    return TokenUsage(prompt_tokens=prompt, completion_tokens=completion, total_tokens=prompt + completion)
