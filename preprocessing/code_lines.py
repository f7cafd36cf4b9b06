"""Fenced code is cut between lines."""

import re

from preprocessing.sentences import cut

_FENCE = re.compile(r"`{3,}|~{3,}")


def join_code(above: str, below: str) -> str:
    """Return two parts of one code block as one, without the fences between them."""
    above_text, _, closing = above.rpartition("\n")
    opening, _, below_text = below.partition("\n")
    if not _FENCE.fullmatch(closing) or not opening.startswith(closing):
        return f"{above}\n{below}"
    return f"{above_text}\n{below_text}"


def code_parts(text: str, max_chars: int) -> list[str]:
    """Cut fenced code between lines; each part has its own fences."""
    if len(text) <= max_chars:
        return [text]
    opening, *lines, closing = text.split("\n")
    room = max_chars - len(opening) - len(closing) - 2
    if room < 1:
        return cut(text, max_chars)
    parts: list[str] = []
    body: list[str] = []
    for line in (part for whole in lines for part in ([whole] if len(whole) <= room else cut(whole, room))):
        if body and sum(map(len, body)) + len(body) + len(line) > room:
            parts.append("\n".join([opening, *body, closing]))
            body = []
        body.append(line.rstrip("\n"))
    return [*parts, "\n".join([opening, *body, closing])] if any(map(str.strip, body)) else parts
