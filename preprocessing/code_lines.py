"""Fenced code is cut between lines."""

from preprocessing.sentences import cut


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
