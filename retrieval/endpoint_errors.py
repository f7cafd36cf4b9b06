"""What goes wrong with a model behind an HTTP address, as one line each."""

import json
import re
import time
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from preprocessing.errors import FolioError

if TYPE_CHECKING:
    import httpx

    from retrieval.endpoint_address import ModelAddress

_BUSY = {408, 425, 429, 500, 502, 503, 504, 529}
_REFUSED = {400, 413, 422}
_NO_MONEY = re.compile(r"insufficient_quota|insufficient balance|arrearage|余额|欠费", re.I)
"""In an answer that says "busy", waiting does not help."""
_ABOUT_LENGTH = re.compile(r"token|context|length|too long|too large|characters|过长|超长|长度|字符", re.I)
_SHOWN_CHARS = 200


class EndpointError(FolioError):
    """A model behind an address could not be asked; the message names what to mend."""


class RequestRefused(EndpointError):
    """The server is there but does not take this request; fewer or shorter texts may help."""

    def __init__(self, message: str, said: str) -> None:
        super().__init__(message)
        self.about_length = _ABOUT_LENGTH.search(said) is not None
        """Whether the server's words are about how long a text is."""


class EndpointBusy(EndpointError):
    """The server is not there, or cannot answer now; the same request may work later."""

    def __init__(self, message: str, *, wait_seconds: float | None = None, silent: bool = False) -> None:
        super().__init__(message)
        self.wait_seconds = wait_seconds
        """How long the server asks to wait."""
        self.silent = silent
        """Whether there was no answer at all."""


def failure(
    address: "ModelAddress", what: "httpx.Response | httpx.RequestError", timeout_seconds: float
) -> EndpointError:
    """Return the error to raise for an answer that is none, or for having none."""
    import httpx

    start = address.named
    if isinstance(what, httpx.Response):
        return _answered(address, start, what)
    if isinstance(what, httpx.ConnectError | httpx.ConnectTimeout | httpx.ProxyError):
        reason = one_line(what) or "no answer"
        return EndpointBusy(
            f"{start} cannot be reached ({reason}): start it, or correct {address.url_setting}", silent=True
        )
    if isinstance(what, httpx.TimeoutException):
        return EndpointBusy(
            f"{start} did not answer in {timeout_seconds:g} s; see whether it is overloaded", silent=True
        )
    return EndpointBusy(f"{start} broke off the connection ({one_line(what) or type(what).__name__}); try again later")


def message_in(answer: Any) -> str:
    """Return the words in the many forms of JSON error there are; "" when there are none."""
    if isinstance(answer, str):
        return answer
    if isinstance(answer, list):
        return message_in(answer[0]) if answer else ""
    if isinstance(answer, dict):
        found = (message_in(answer.get(name)) for name in ("error", "message", "msg", "detail", "code"))
        return next((words for words in found if words), "")
    return ""


def one_line(error: object) -> str:
    """Return the text of an error without line breaks, not too long."""
    return " ".join(str(error).split())[:_SHOWN_CHARS]


def _answered(address: "ModelAddress", start: str, response: "httpx.Response") -> EndpointError:
    status, page = response.status_code, response.text.lstrip().startswith("<")
    try:
        said = message_in(json.loads(response.content))
    except ValueError:
        said = "a web page" if page else response.text
    said = one_line(address.without_key(said)) or response.reason_phrase or "no reason given"
    if status in (401, 403):
        mend = f"check {address.key_setting}" if address.key else f"set {address.key_setting}"
        return EndpointError(f"{start} refused the key ({said}): {mend}")
    if status in (404, 405):
        return EndpointError(
            f"{start} was not found ({said}): check {address.model_setting}, and {address.url_setting}, "
            f"which often ends in /v1 (asked {address.shown})"
        )
    if status in _REFUSED:
        return RequestRefused(f"{start} refused the request ({said})", said)
    if status in _BUSY and not _NO_MONEY.search(f"{response.text} {said}"):
        wait = _asked_to_wait(response.headers)
        return EndpointBusy(
            f"{start} is busy or failing: it answered {status} ({said}); try again later", wait_seconds=wait
        )
    if status < 300 and page:
        return EndpointError(
            f"{start} answered with a web page: {address.url_setting} must be the address of the API, "
            f"which often ends in /v1 (asked {address.shown})"
        )
    if status < 300:
        return EndpointError(f"{start} sent no usable answer ({said}); check {address.url_setting}")
    if 300 <= status < 400:
        to = one_line(response.headers.get("location", "nowhere"))
        return EndpointError(f"{start} has moved to {to}: correct {address.url_setting}")
    return EndpointError(f"{start} answered {status} ({said})")


def _asked_to_wait(headers: "httpx.Headers") -> float | None:
    # https://www.rfc-editor.org/rfc/rfc9110#field.retry-after: seconds, or a date.
    text = headers.get("retry-after", "").strip()
    if not text:
        return None
    try:
        seconds = (
            float(text) if re.fullmatch(r"\d+(\.\d+)?", text) else parsedate_to_datetime(text).timestamp() - time.time()
        )
    except ValueError:
        return None
    return max(seconds, 0.0)
