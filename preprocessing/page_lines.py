"""A line of a page, as the reader of a paged format gives it."""

from collections.abc import Sequence
from dataclasses import dataclass

from preprocessing.headings import display_width


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page; `level` is above 0 for a heading."""

    text: str
    page: int
    level: int = 0
    size: float = 0.0
    """Font size in points; 0 where it is not known."""
    is_bold: bool = False
    is_slanted: bool = False
    """Whether it is set at an angle, as watermarks are."""
    table: tuple[tuple[str, ...], ...] = ()
    """Rows of a ruled table, which stands in place of its lines."""
    columns: tuple[float, ...] = ()
    """Where the columns of the table begin and end, in points."""


def full_width(lines: Sequence[Line]) -> int:
    """Return the width in columns that full lines reach."""
    widths = sorted(display_width(line.text) for line in lines if line.text)
    return max(widths[int(0.95 * (len(widths) - 1))], 20) if widths else 20


def body_size(lines: Sequence[Line]) -> float:
    """Return the font size that most of the text has, 0 where none is known."""
    characters: dict[float, int] = {}
    for line in lines:
        characters[line.size] = characters.get(line.size, 0) + len(line.text)
    return max(characters, key=lambda size: characters[size], default=0.0)
