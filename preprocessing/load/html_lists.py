"""Lists of HTML as Markdown items."""

from collections.abc import Iterator
from typing import Any

from preprocessing.load.html_text import inline, inline_text, lines, spaces

_MARKER = "- "
_INDENT = "  "


def items_of(parent: Any, depth: int) -> Iterator[str]:
    """Yield the items of a list and of the lists in it, with markers and indentation."""
    number = int(parent.get("start")) if (parent.get("start") or "").lstrip("-").isdigit() else 1
    for child in parent:
        if child.tag in ("ul", "ol", "menu"):
            yield from items_of(child, depth + 1)
        elif child.tag == "li":
            marker = f"{number}. " if parent.tag == "ol" else _MARKER
            number += 1
            text = _own_text(child)
            if text:
                continued = f"\n{_INDENT * depth}{' ' * len(marker)}"
                yield f"{_INDENT * depth}{marker}{text.replace(chr(10), continued)}"
            for inner in nested(child, ("ul", "ol", "menu")):
                yield from items_of(inner, depth + bool(text))


def _own_text(item: Any) -> str:
    """Return the text of an item without the lists, tables and code in it."""
    parts = [spaces(item.text)]
    for child in item:
        if child.tag not in ("ul", "ol", "menu", "table", "pre"):
            inner = _own_text(child) if next(nested(child, ("ul", "ol", "table", "pre")), None) is not None else ""
            parts.append(f"\n{inner}\n" if inner else inline(child))
        parts.append(spaces(child.tail))
    return lines("".join(parts))


def nested(element: Any, tags: tuple[str, ...]) -> Iterator[Any]:
    """Yield the outermost descendants with one of the tags."""
    for child in element:
        if child.tag in tags:
            yield child
        else:
            yield from nested(child, tags)


def terms_of(root: Any) -> Iterator[str]:
    """Yield the terms of a definition list with their definitions."""
    term = ""
    for child in nested(root, ("dt", "dd")):
        text = inline_text(child).replace("\n", " ")
        if child.tag == "dt":
            if term:
                yield f"{_MARKER}{term}"
            term = text
        elif text:
            yield f"{_MARKER}{term}: {text}" if term else f"{_MARKER}{text}"
            term = ""
    if term:
        yield f"{_MARKER}{term}"
