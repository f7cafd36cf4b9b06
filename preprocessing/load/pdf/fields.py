"""What is filled into the fields of a PDF form, which stands in none of the page's text (ISO 32000-1, 12.7)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from preprocessing.load.pdf.order import Span, Spans

_PASSWORD, _PUSH_BUTTON = 1 << 13, 1 << 16
_MOST_PARENTS = 20
_BELOW = 4.0
"""Points by which the line of a label may lie below its field."""
_SIZE = 10.0
_POOR_NAME = re.compile(
    r"[\[\]#.]|^(?:text|field|undefined|untitled|check ?box|fill)?[\W\d_]*\w?[\W\d_]*$", re.IGNORECASE
)
"""Names that programs gave to fields, which no person reads."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field with its value, where it stands on the page, in points."""

    text: str
    name: str
    left: float
    low: float
    right: float
    high: float
    is_box: bool
    """Whether it is a box to tick, whose label stands to the right of it."""


def fields_of(page: Any) -> Iterator[Field]:
    """Yield the fields of a page that say something; passwords, buttons and signatures do not."""
    for annotation in page.get("/Annots") or []:
        try:
            widget = annotation.get_object()
            field = _field(widget) if widget.get("/Subtype") == "/Widget" else None
        except (AttributeError, KeyError, TypeError, ValueError, IndexError):
            continue  # a damaged field leaves the others readable
        if field:
            yield field


def _field(widget: Any) -> Field | None:
    kind, flags, value = _inherited(widget, "/FT"), int(_inherited(widget, "/Ff") or 0), _inherited(widget, "/V")
    if kind == "/Btn":
        state = str(widget.get("/AS") or value or "/Off")
        text = "" if flags & _PUSH_BUTTON else "☐" if state == "/Off" else "☑"
    elif kind in ("/Tx", "/Ch") and not (kind == "/Tx" and flags & _PASSWORD):
        text = ", ".join(map(str, value)) if isinstance(value, list) else _text(value)
    else:
        return None
    text = " ".join(text.split())
    corners = [float(number) for number in widget["/Rect"]]
    left, right = sorted(corners[::2])
    low, high = sorted(corners[1::2])
    name = " ".join(str(_inherited(widget, "/TU") or widget.get("/T") or "").split())
    name = "" if _POOR_NAME.search(name) else name
    return Field(text, name, left, low, right, high, kind == "/Btn") if text else None


def _text(value: Any) -> str:
    return value.get_data().decode("utf-8", "replace") if hasattr(value, "get_data") else str(value or "")


def _inherited(widget: Any, key: str) -> Any:
    """Return an entry of the field, or of the one it is part of."""
    for _ in range(_MOST_PARENTS):
        if key in widget:
            return widget[key].get_object() if hasattr(widget[key], "get_object") else widget[key]
        if "/Parent" not in widget:
            return None
        widget = widget["/Parent"].get_object()
    return None


def with_fields(lines: Sequence[Spans], fields: Iterator[Field]) -> list[Spans]:
    """Return the lines with each value behind its label, or in front of it for a box; else in a line of its own."""
    filled = [list(line) for line in lines]
    for field in fields:
        label = _label(filled, field)
        if label is None:
            said = f"{field.name}: {field.text}" if field.name and not field.is_box else field.text
            filled.append([Span(said, field.left, field.low, _SIZE, False, 0.0)])
            continue
        line, position = label
        beside = line[position]
        text = f" {field.text} " if field.is_box else f" {field.text}"
        value = Span(text, field.left, beside.y, beside.size, False, beside.angle)
        line.insert(position if field.is_box else position + 1, value)
    return filled


def _label(lines: Sequence[Spans], field: Field) -> tuple[Spans, int] | None:
    """Return the line with the nearest text beside the field, and the place of that text in it."""
    nearest: tuple[float, Spans, int] | None = None
    for line in lines:
        for position, span in enumerate(line):
            if not span.text.strip() or not field.low - _BELOW <= span.y <= field.high:
                continue
            gap = span.x - field.right if field.is_box else field.left - span.end
            if gap >= -span.size and (nearest is None or abs(gap) < nearest[0]):
                nearest = abs(gap), line, position
    return nearest[1:] if nearest else None
