"""Lets a request in, before its body is read: who sends it, from where, and not too often."""

import math
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from agent.http.caller import LOCAL, Caller
from agent.http.keys import KeyStore
from agent.http.problems import Refused, problem_response
from agent.http.rate_limit import RateLimit
from agent.http.settings import is_loopback
from retrieval.database import DatabaseAway

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
