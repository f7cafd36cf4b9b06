"""How large the body of a request may be; what is larger is refused without being read to the end."""

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent.http.problems import Refused, problem_response

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
