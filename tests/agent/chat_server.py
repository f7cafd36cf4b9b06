"""A server on loopback that speaks the chat-completions protocol, streaming and not, and can fail in every way."""

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.loopback import LoopbackServer

PROMPT_TOKENS, COMPLETION_TOKENS = 101, 7
"""What the server says of every completion."""


@dataclass(frozen=True)
class Raw:
    """A response as it goes over the wire."""

    status: int = 200
    body: str = "{}"
    kind: str = "application/json"
    cut: bool = False
    """Close the connection before the end that was promised."""


Reply = str | Raw | Callable[[dict[str, Any]], str | Raw]


@dataclass
class ChatServer(LoopbackServer):
    """Gives its replies one a request, the last for ever; keeps every request."""

    replies: Sequence[Reply]
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[Message] = field(default_factory=list)
    release: threading.Event = field(default_factory=threading.Event)
    """A reply may wait for it; set when the server stops."""

    def __exit__(self, *exception: object) -> None:
        self.release.set()
        super().__exit__(*exception)

    @property
    def url(self) -> str:
        return f"http://{self.host}/v1"

    def answer_to(self, handler: BaseHTTPRequestHandler, body: Any) -> None:
        self.requests.append({"path": handler.path, **body})
        self.headers.append(handler.headers)
        reply = self.replies[min(len(self.requests), len(self.replies)) - 1]
        if callable(reply):
            reply = reply(body)
        if isinstance(reply, str):
            reply = streamed(reply) if body.get("stream") else whole(reply)
        data = reply.body.encode()
        try:
            handler.send_response(reply.status)
            handler.send_header("Content-Type", reply.kind)
            handler.send_header("Content-Length", str(len(data) + 100 * reply.cut))
            handler.send_header("retry-after-ms", "1")
            handler.end_headers()
            handler.wfile.write(data)
        except OSError:
            # The client did not wait for it.
            pass


def whole(text: str | None) -> Raw:
    """Return a completion in one piece."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return Raw(body=json.dumps({**_head("chat.completion"), "choices": [choice], "usage": _USAGE}))


def streamed(text: str) -> Raw:
    """Return a completion as events of three characters, the usage in the last."""
    pieces = [text[start : start + 3] for start in range(0, len(text), 3)] or [""]
    chunks: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]} for piece in pieces
    ]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    chunks.append({"choices": [], "usage": _USAGE})
    return events(*(json.dumps({**_head("chat.completion.chunk"), **chunk}) for chunk in chunks))


def events(*data: str) -> Raw:
    """Return server-sent events, ended as the protocol ends them."""
    return Raw(body="".join(f"data: {item}\n\n" for item in (*data, "[DONE]")), kind="text/event-stream")


_USAGE = {
    "prompt_tokens": PROMPT_TOKENS,
    "completion_tokens": COMPLETION_TOKENS,
    "total_tokens": PROMPT_TOKENS + COMPLETION_TOKENS,
}


def _head(kind: str) -> dict[str, Any]:
    return {"id": "c1", "object": kind, "created": 1, "model": "served-model"}
