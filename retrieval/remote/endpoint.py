"""A model behind an HTTP address: JSON goes out in batches, JSON comes back, and a busy server is asked again."""

import json
import os
import re
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from itertools import chain
from typing import Any, TypeVar
from urllib.parse import urlunsplit

import httpx
from tenacity import RetryCallState, Retrying, retry_if_exception_type, wait_exponential

from retrieval.remote.address import EndpointBusy, EndpointError, ModelAddress, RequestRefused

T = TypeVar("T")
R = TypeVar("R")

_CONNECT_SECONDS = 10
_OWN_WAIT = wait_exponential(multiplier=0.5, max=30)
"""Seconds, where the server does not say how long to wait."""
_BUSY = {408, 425, 429, 500, 502, 503, 504, 529}
_REFUSED = {400, 413, 422}
_NO_MONEY = re.compile(r"insufficient_quota|insufficient balance|arrearage|余额|欠费", re.I)
"""In an answer that says "busy", waiting does not help."""
_SHOWN_CHARS = 200


@dataclass(frozen=True, slots=True)
class Patience:
    """How often a request is tried, and how long a server may ask to wait."""

    tries: int
    silent_tries: int
    """Tries where there was no answer at all."""
    longest_wait_seconds: float


PATIENT = Patience(8, 3, 120)
"""For ingest: about a minute of waiting, after which limits counted by the minute are new."""
BRISK = Patience(3, 1, 5)
"""For a question, beside which a person waits."""


class ModelEndpoint:
    """Posts JSON to one address and tries again where that helps. Safe for threads."""

    def __init__(
        self, address: ModelAddress, timeout_seconds: float, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        """Check the address and the key; nothing is sent yet. Raises EndpointError."""
        self.address = address
        self._headers = address.headers()
        self._url = urlunsplit(address.parts)
        self._timeout = timeout_seconds
        self._sleep = sleep
        self._client: httpx.Client | None = None
        self._opening = threading.Lock()
        # A server that was given up on is asked once a request, so that a thousand files do not wait a minute each.
        self._given_up = False

    def post(self, body: Any, patience: Patience = BRISK) -> Any:
        """Return the answer to the body.

        Raises RequestRefused where the server does not take this request, else EndpointError.
        """
        asking = Retrying(
            retry=retry_if_exception_type(EndpointBusy),
            wait=_wait,
            stop=lambda state: self._given_up or _is_enough(state, patience),
            sleep=self._sleep,
            reraise=True,
        )
        try:
            answer = asking(self._ask, body)
        except EndpointBusy:
            self._given_up = True
            raise
        self._given_up = False
        return answer

    def _ask(self, body: Any) -> Any:
        # A half of a surrogate pair cannot be sent, and one bad character must not lose the text.
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        try:
            response = self._opened().post(self._url, content=content, headers=self._headers)
        except httpx.RequestError as error:
            raise failure(self.address, error, self._timeout) from error
        try:
            answer = json.loads(response.content)
        except ValueError:
            answer = None
        if response.status_code >= 300 or answer is None or (isinstance(answer, dict) and answer.get("error")):
            raise failure(self.address, response, self._timeout)
        return answer

    def _opened(self) -> httpx.Client:
        with self._opening:
            if self._client is None:
                timeout = httpx.Timeout(self._timeout, connect=min(_CONNECT_SECONDS, self._timeout))
                try:
                    # A proxy is for the world outside; a server on this machine is not behind it.
                    self._client = httpx.Client(timeout=timeout, trust_env=not self.address.on_this_machine)
                except (ImportError, ValueError) as error:
                    raise EndpointError(
                        f"{self.address.named} cannot be asked through the proxy in {_proxies()} ({one_line(error)}): "
                        "unset it, or name an http:// proxy"
                    ) from error
                weakref.finalize(self, self._client.close)
            return self._client


def _wait(state: RetryCallState) -> float:
    told = _busy(state).wait_seconds
    return _OWN_WAIT(state) if told is None else told


def _is_enough(state: RetryCallState, patience: Patience) -> bool:
    tries = patience.silent_tries if _busy(state).silent else patience.tries
    return state.attempt_number >= tries or state.upcoming_sleep > patience.longest_wait_seconds


def _busy(state: RetryCallState) -> EndpointBusy:
    busy = state.outcome.exception() if state.outcome else None
    assert isinstance(busy, EndpointBusy)
    return busy


def _proxies() -> str:
    names = ("all_proxy", "http_proxy", "https_proxy")
    return ", ".join(sorted(name for name in os.environ if name.lower() in names)) or "the system's settings"


class Batches:
    """Cuts items into batches; a refused one is halved, and a size that is too much is not tried again."""

    def __init__(self, most: int, at_once: int = 1) -> None:
        """Send at most `most` items a request, and at most `at_once` requests at the same time."""
        self._most = most
        self._at_once = at_once

    def send(self, items: Sequence[T], request: Callable[[Sequence[T]], Sequence[R]]) -> list[R]:
        """Return the results of all the items in their order; `request` gives one result an item.

        Raises the RequestRefused of an item that is refused when it is alone.
        """
        batches = [items[start : start + self._most] for start in range(0, len(items), self._most)]
        if len(batches) < 2 or self._at_once < 2:
            return list(chain.from_iterable(self._taken(batch, request)[0] for batch in batches))
        with ThreadPoolExecutor(min(self._at_once, len(batches))) as pool:
            return list(chain.from_iterable(found for found, _ in pool.map(lambda b: self._taken(b, request), batches)))

    def _taken(self, batch: Sequence[T], request: Callable[[Sequence[T]], Sequence[R]]) -> tuple[list[R], bool]:
        """Return the results, and whether the server took the batch whole."""
        if len(batch) > self._most:
            return self.send(batch, request), False
        try:
            return list(request(batch)), True
        except RequestRefused:
            if len(batch) < 2:
                raise
        middle = (len(batch) + 1) // 2
        (first, first_whole), (rest, rest_whole) = (
            self._taken(half, request) for half in (batch[:middle], batch[middle:])
        )
        if first_whole and rest_whole:
            # Both halves pass and the whole does not, so it is the number and no single item that was too much.
            self._most = min(self._most, middle)
        return first + rest, False


def failure(address: ModelAddress, what: httpx.Response | httpx.RequestError, timeout_seconds: float) -> EndpointError:
    """Return the error to raise for an answer that is none, or for having none."""
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


def _answered(address: ModelAddress, start: str, response: httpx.Response) -> EndpointError:
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


def _asked_to_wait(headers: httpx.Headers) -> float | None:
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
