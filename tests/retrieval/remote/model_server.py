"""A server on loopback that answers as a test says, and keeps what it was asked."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler
from typing import Any

from pydantic import SecretStr

from retrieval.remote.address import ModelAddress
from retrieval.remote.endpoint import ModelEndpoint
from tests.loopback import LoopbackServer

KEY = "sk-very-secret"


@dataclass(frozen=True)
class Raw:
    """An answer as it goes over the wire."""

    status: int = 200
    body: Any = ""
    """Sent as JSON unless it is text."""
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    """Close the connection before the end that was promised."""


Answer = Callable[[Any], Any]
"""Returns, for a request's body, a Raw or what to send as JSON under status 200."""


@dataclass
class ModelServer(LoopbackServer):
    """Answers every POST."""

    answer: Answer
    bodies: list[Any] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    headers: list[Message] = field(default_factory=list)

    def url(self, path: str = "/v1/embeddings") -> str:
        return f"http://{self.host}{path}"

    def answer_to(self, handler: BaseHTTPRequestHandler, body: Any) -> None:
        self.bodies.append(body)
        self.paths.append(handler.path)
        self.headers.append(handler.headers)
        found = self.answer(body)
        raw = found if isinstance(found, Raw) else Raw(body=found)
        data = (raw.body if isinstance(raw.body, str) else json.dumps(raw.body)).encode()
        handler.send_response(raw.status)
        for name, value in raw.headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(data) + 100 * raw.cut))
        handler.end_headers()
        handler.wfile.write(data)


def one_after_another(*answers: Any) -> Answer:
    """Return the answers one a request, the last for ever."""
    left = list(answers)
    return lambda _body: left.pop(0) if len(left) > 1 else left[0]


def endpoint(
    url: str, waits: list[float] | None = None, key: str | None = KEY, timeout_seconds: float = 10
) -> ModelEndpoint:
    """Return an endpoint that writes its waits to the list instead of waiting."""
    address = ModelAddress(
        what="the model 'm'",
        url=url,
        url_setting="FOLIO_X_URL",
        key=SecretStr(key) if key is not None else None,
        key_setting="FOLIO_X_KEY",
        model_setting="FOLIO_X_MODEL",
    )
    return ModelEndpoint(address, timeout_seconds, ([] if waits is None else waits).append)
