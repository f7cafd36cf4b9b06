"""What a request passes on its way in: it gets an id, a caller who does not ask too often, and an end to its body."""

import ipaddress
import logging
import math
import re
import threading
import time
from collections.abc import Callable
from contextvars import ContextVar
from urllib.parse import urlsplit
from uuid import uuid4

import sqlalchemy as sa
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent.http.keys import LOCAL, Caller, KeyStore
from agent.http.problems import Refused, problem_response
from agent.http_settings import HttpSettings
from retrieval.documents.database import DatabaseAway

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


PUBLIC = frozenset({"/", "/health", "/openapi.json"})
"""Paths that need no key; so do those below STATIC."""
STATIC = "/static/"


class Guard:
    """Finds out who the caller is; a server on loopback for which no key was ever made is open to its machine."""

    def __init__(
        self, app: ASGIApp, *, keys: KeyStore, limit: RateLimit, on_loopback: bool, origins: tuple[str, ...]
    ) -> None:
        self._app = app
        self._keys = keys
        self._limit = limit
        self._on_loopback = on_loopback
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            caller = await run_in_threadpool(self._caller, scope["path"], Headers(scope=scope))
        except Exception as error:  # noqa: BLE001  outside the app, nothing else answers an error
            await problem_response(Request(scope), error)(scope, receive, send)
            return
        scope.setdefault("state", {})["caller"] = caller
        await self._app(scope, receive, send)

    def _caller(self, path: str, headers: Headers) -> Caller | None:
        is_public = path in PUBLIC or path.startswith(STATIC)
        try:
            return self._known(headers, is_public=is_public)
        except DatabaseAway:
            # What needs no key is there without the keys too: /health has to say so.
            if is_public:
                return None
            raise

    def _known(self, headers: Headers, *, is_public: bool) -> Caller | None:
        if self._on_loopback and not self._keys.were_made():
            self._check_from_here(headers)
            return LOCAL
        scheme, _, written = headers.get("authorization", "").partition(" ")
        key = self._keys.find(written.strip()) if scheme.lower() == "bearer" else None
        if is_public:
            return Caller.with_key(key) if key else None
        if not written:
            raise Refused(401, "this needs a key: send Authorization: Bearer KEY", {"WWW-Authenticate": "Bearer"})
        if key is None:
            known = {"WWW-Authenticate": 'Bearer error="invalid_token"'}
            raise Refused(401, "this key is unknown or was revoked", known)
        if wait := self._limit.take(key.id):
            seconds = str(math.ceil(wait))
            raise Refused(429, f"too many requests with this key; try again in {seconds} s", {"Retry-After": seconds})
        return Caller.with_key(key)

    def _check_from_here(self, headers: Headers) -> None:
        # A page anywhere on the web can send requests to this machine, also under a name of its own that means
        # 127.0.0.1. An open server takes none of them.
        origin = headers.get("origin")
        is_local = is_loopback(_host(f"//{headers.get('host', '')}"))
        if not is_local or (origin and origin not in self._origins and not is_loopback(_host(origin))):
            raise Refused(
                403, "without keys, only pages and programs of this machine are answered: make one with folio keys add"
            )


def _host(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


MAX_JSON_BYTES = 1 << 20
_AROUND_A_FILE = 1 << 20
"""Bytes of an upload besides its file: boundaries, headers and fields."""


class BodyLimit:
    """Refuses bodies above the limit of their kind, whether they say how long they are or not."""

    def __init__(self, app: ASGIApp, max_file_bytes: int) -> None:
        self._app = app
        self._max_upload_bytes = max_file_bytes + _AROUND_A_FILE

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        is_form = headers.get("content-type", "").lower().startswith("multipart/")
        most = self._max_upload_bytes if is_form else MAX_JSON_BYTES
        stated, read = headers.get("content-length", ""), 0
        if stated.isdecimal() and int(stated) > most:
            await problem_response(Request(scope), _too_large(most))(scope, receive, send)
            return

        async def receive_within_limit() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > most:
                raise _too_large(most)
            return message

        await self._app(scope, receive_within_limit, send)


def _too_large(most: int) -> Refused:
    # The rest of the body is not read, so the connection cannot be used again.
    return Refused(413, f"the body is larger than {most >> 20} MB", {"Connection": "close"})


def guarding(settings: HttpSettings, database: sa.Engine, *, on_loopback: bool) -> tuple[Middleware, Middleware]:
    """Return what stands before an app: what gives requests their ids, and within it the guard."""
    return Middleware(RequestIds), Middleware(
        Guard,
        keys=KeyStore(database),
        limit=RateLimit(settings.requests_per_minute),
        on_loopback=on_loopback,
        origins=settings.origins,
    )


def is_loopback(host: str) -> bool:
    """Say whether the name or address of a host means this machine alone."""
    if host.casefold() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
