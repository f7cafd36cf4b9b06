"""A reply that goes round in circles: weak models say the same over and over until nothing more fits."""

import re

LOOKED_AT = 600
"""Characters at the end of a text that must repeat; no answer to a person does so for as long."""
LONGEST = 150
"""Characters of what is repeated."""
_END = re.compile(r"[。！？.!?](?!\s*\[)|\n")


def goes_round(text: str) -> bool:
    """Tell whether the last 600 characters are one piece of at most 150, said again and again."""
    return _period(text) > 0


def said_once(text: str) -> str:
    """Return the text with what it goes round in at its end said once."""
    period = _period(text)
    if not period:
        return text
    start = len(text) - LOOKED_AT
    while start and text[start - 1] == text[start - 1 + period]:
        start -= 1
    # It may have met the end of the sentence before, such as the same label, which belongs to that one.
    ended = start == 0 or _END.match(text, start - 1)
    end = None if ended else _END.search(text, start, start + period - 1)
    return text[: (end.end() if end else start) + period].rstrip()


def _period(text: str) -> int:
    """Return the length of the piece; 0 where nothing is repeated."""
    tail = text[-LOOKED_AT:]
    if len(tail) < LOOKED_AT:
        return 0
    return next((length for length in range(1, LONGEST + 1) if tail[length:] == tail[:-length]), 0)
