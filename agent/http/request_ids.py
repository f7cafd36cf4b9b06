"""Every request has an id: in its response, and in each line of the log that it causes."""

import logging
import re
import time
from contextvars import ContextVar
from uuid import uuid4

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

logger = logging.getLogger(__name__)

HEADER = "X-Request-ID"
_GIVEN = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
_current: ContextVar[str] = ContextVar("request_id", default="-")


class WithRequestId(logging.Filter):
    """Gives each record the id of its request as `request_id`."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record pass."""
        record.request_id = _current.get()
        return True


class RequestIds:
    """Takes the id that the client sends, or makes one; says what became of each request."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get(HEADER, "")
        request_id = given if _GIVEN.fullmatch(given) else uuid4().hex[:16]
        scope.setdefault("state", {})["request_id"] = request_id
        token, began, status = _current.set(request_id), time.perf_counter(), 0

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers[HEADER] = request_id
                headers["X-Content-Type-Options"] = "nosniff"
            await send(message)

        try:
            await self._app(scope, receive, send_with_id)
        finally:
            caller = scope["state"].get("caller")
            milliseconds = (time.perf_counter() - began) * 1000
            # The query string is left out: it may hold what people ask. So may bytes that steer a terminal.
            path = scope["path"].encode("unicode_escape").decode()
            who = caller.name if caller else "-"
            logger.info("%s %s %s %.0f ms %s", scope["method"], path, status or "-", milliseconds, who)
            _current.reset(token)
