"""The web page at `/` and the files that it is made of: nothing is loaded from elsewhere."""

from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from agent.http.guard import STATIC

WEB = Path(__file__).parents[1] / "web"

CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        # No script of the page can turn text into markup, by whatever mistake.
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]
)
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    # Asked for each time, and sent only when it is another: a new release is never half old.
    "Cache-Control": "no-cache",
}


class _Files(StaticFiles):
    def file_response(self, *arguments: Any, **named: Any) -> Response:
        response = super().file_response(*arguments, **named)
        response.headers.update(HEADERS)
        return response


def install(app: FastAPI) -> None:
    """Serve the page and its files; they are the same for all, so they need no key."""
    files = _Files(directory=WEB)

    async def page(request: Request) -> Response:
        return await files.get_response("index.html", request.scope)

    app.add_route("/", page, ["GET", "HEAD"], include_in_schema=False)
    app.mount(STATIC.rstrip("/"), files, name="static")
