"""Where the text of a PDF page stands: lines with font size and weight, columns, ruled tables."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from preprocessing.load.pdf_fields import fields_of, with_fields
from preprocessing.load.pdf_order import Line, Span, in_reading_order
from preprocessing.load.pdf_rules import Rules
from preprocessing.load.pdf_tables import Table, tables_of
from preprocessing.load.pdf_unseen import Unseen

_BOLD = re.compile(r"bold|black|heavy|semibold|simhei|heiti|黑体", re.IGNORECASE)
_UPRIGHT = 1.0


@dataclass(frozen=True, slots=True)
class PageLine:
    """A line of a page, or a ruled table in place of its lines."""

    text: str
    size: float = 0.0
    is_bold: bool = False
    is_slanted: bool = False
    table: list[list[str]] = field(default_factory=list)
    columns: list[float] = field(default_factory=list)
    """Where the columns of the table begin and end."""


class _Recorder:
    """Receives what the PDF reader meets on a page."""

    def __init__(self, unseen: Unseen) -> None:
        self.lines: list[Line] = [[]]
        self.rules = Rules()
        self._unseen = unseen

    def operand(self, operator: bytes, operands: Sequence[Any], cm: Sequence[float], tm: Sequence[float]) -> None:
        self.rules.operand(operator, operands, cm, tm)
        self._unseen.before(operator, operands, cm, tm)

    def text(self, text: str, cm: Sequence[float], tm: Sequence[float], font: Any, size: float) -> None:
        x, y = tm[4] * cm[0] + tm[5] * cm[2] + cm[4], tm[4] * cm[1] + tm[5] * cm[3] + cm[5]
        right, up = tm[0] * cm[0] + tm[1] * cm[2], tm[0] * cm[1] + tm[1] * cm[3]
        scale, angle = math.hypot(right, up), math.degrees(math.atan2(up, right))
        is_bold = font is not None and _BOLD.search(str(font.get("/BaseFont", ""))) is not None
        is_placed = True
        for number, part in enumerate(text.split("\n")):
            if number:
                self.lines.append([])
            if part:
                self.lines[-1].append(Span(part, x, y, abs(size) * scale, is_bold, angle, is_placed))
                is_placed = is_placed and not part.strip()


def page_lines(page: Any, unseen: Unseen) -> list[dict[str, Any]]:
    """Return the lines of a page in reading order, as JSON values of `PageLine`; `unseen` takes note of what is met."""
    recorder = _Recorder(unseen)
    page.extract_text(
        visitor_text=recorder.text,
        visitor_operand_before=recorder.operand,
        visitor_operand_after=unseen.after,
    )
    lines = in_reading_order(with_fields(recorder.lines, fields_of(page)))
    return [
        asdict(line)
        for line in _with_tables(lines, tables_of(recorder.rules, [span for line in lines for span in line]))
    ]


def _with_tables(lines: Sequence[list[Span]], tables: Sequence[Table]) -> Iterator[PageLine]:
    """Yield the lines; the first line with text inside a table gives way to the table, the others to nothing."""
    shown: set[int] = set()
    for line in lines:
        inside = {number for number, table in enumerate(tables) for span in line if span in table.spans}
        for number in sorted(inside - shown):
            yield PageLine("", table=tables[number].rows, columns=tables[number].columns)
        shown |= inside
        rest = [span for span in line if not any(span in tables[number].spans for number in inside)]
        if not inside or any(span.text.strip() for span in rest):
            yield _line(rest)


def _line(spans: Sequence[Span]) -> PageLine:
    filled = [span for span in spans if span.text.strip()]
    if not filled:
        return PageLine("".join(span.text for span in spans))
    longest = max(filled, key=lambda span: len(span.text))
    return PageLine(
        "".join(span.text for span in spans),
        round(longest.size, 1),
        all(span.is_bold for span in filled),
        all(abs(span.angle % 90) > _UPRIGHT and abs(span.angle % 90 - 90) > _UPRIGHT for span in filled),
    )
