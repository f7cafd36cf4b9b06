"""A model behind an HTTP address: JSON goes out, JSON comes back, and a busy server is asked again."""

import json
import os
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any
from urllib.parse import urlunsplit

from retrieval.endpoint_address import ModelAddress
from retrieval.endpoint_errors import EndpointBusy, EndpointError, failure, one_line

if TYPE_CHECKING:
    import httpx

_CONNECT_SECONDS = 10
_FIRST_WAIT_SECONDS = 0.5
_LONGEST_OWN_WAIT_SECONDS = 30.0


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
        for attempt in count(1):
            try:
                answer = self._ask(body)
            except EndpointBusy as busy:
                tries = patience.silent_tries if busy.silent else patience.tries
                wait = _own_wait(attempt) if busy.wait_seconds is None else busy.wait_seconds
                if self._given_up or attempt >= tries or wait > patience.longest_wait_seconds:
                    self._given_up = True
                    raise
                self._sleep(wait)
            else:
                self._given_up = False
                return answer
        raise AssertionError("counting has no end")

    def _ask(self, body: Any) -> Any:
        import httpx

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

    def _opened(self) -> "httpx.Client":
        # Imported late: the client takes a third of a second to import, and most commands do without.
        import httpx

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


def _own_wait(attempt: int) -> float:
    return min(_FIRST_WAIT_SECONDS * 2.0 ** (attempt - 1), _LONGEST_OWN_WAIT_SECONDS)


def _proxies() -> str:
    names = ("all_proxy", "http_proxy", "https_proxy")
    return ", ".join(sorted(name for name in os.environ if name.lower() in names)) or "the system's settings"
