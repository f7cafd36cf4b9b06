"""What one question may cost: tokens and time, beside the caps of replies and searches."""

import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True)
class Limits:
    """The budget of one question; it begins when this is made."""

    max_tokens: int
    """Tokens of all prompts and replies."""
    max_seconds: float
    spent_tokens: Callable[[], int] = lambda: 0
    clock: Callable[[], float] = time.monotonic
    tell: Callable[[str], None] = lambda _limit: None
    """Called with the limit that is reached."""
    _began: float = field(init=False)

    @classmethod
    def none(cls) -> "Limits":
        """Return limits that are never reached."""
        return cls(sys.maxsize, math.inf)

    def __post_init__(self) -> None:
        """Start the clock."""
        self._began = self.clock()

    def reached(self) -> str | None:
        """Return the limit that is reached, as people name it; None while there is budget."""
        limit = self._reached()
        if limit:
            self.tell(limit)
        return limit

    def _reached(self) -> str | None:
        if self.spent_tokens() >= self.max_tokens:
            return f"{self.max_tokens} tokens (FOLIO_MAX_TOKENS)"
        if self.clock() - self._began >= self.max_seconds:
            return f"{self.max_seconds:g} s (FOLIO_MAX_SECONDS)"
        return None
