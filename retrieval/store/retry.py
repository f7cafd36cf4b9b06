"""Requests to a server are tried again, a few times and with growing pauses, where the failure can pass."""

import random
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

Answer = TypeVar("Answer")

READ_PAUSES = (0.2, 0.6)
"""Seconds before each new try of a search: a person is waiting."""
WRITE_PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0)
"""Seconds before each new try of a write: a node that restarts takes several, and a long ingest is worth the wait."""
_LONGEST = 30
"""Seconds that a server may ask to be left alone; one that asks for more has to be told to a person."""


def retrying(ask: Callable[[], Answer], pauses: Sequence[float]) -> Answer:
    """Return what `ask` returns; it must be harmless to ask twice, because an answer may be lost on its way.

    Tried again after: too many requests (429), a failure of the server (5xx), a timeout, a broken connection.
    """
    for pause in pauses:
        try:
            return ask()
        except Exception as error:
            asked = _pause_asked(error)
            if asked is None or asked > _LONGEST:
                raise
        # Clients that failed at one moment must not come back at one moment.
        time.sleep(max(asked, pause * random.uniform(0.5, 1)))
    return ask()


def _pause_asked(error: Exception) -> float | None:
    """Return the seconds that the server asked for, 0 when it named none, None when the failure will not pass."""
    # httpx comes with the client, which is imported by now.
    import httpx
    from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
    from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

    if isinstance(error, ResourceExhaustedResponse):
        return error.retry_after_s
    if isinstance(error, UnexpectedResponse):
        return 0 if error.status_code == 429 or (error.status_code or 0) >= 500 else None
    if isinstance(error, ResponseHandlingException):
        return 0 if isinstance(error.source, httpx.TransportError) else None
    return None
