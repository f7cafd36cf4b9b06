"""The order in which people read a PDF page, which need not be the order in which it was written."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

_SAME_START = 3.0
_LEAST_ROWS = 6
_LEAST_PARTED = 0.6
"""Share of the lines on both sides of the middle that are parted there."""
_LEAST_FILL = 0.65
_MOST_UNEVEN = 0.35
"""Share of the width that the narrower of two columns has at least."""
_NARROW_ERROR, _JOINED = 0.1, 0.8
"""Doubt about the width of a narrow character, and the gap that text which goes on leaves at most, in font sizes."""
_WORD_GAP = 0.05
_LOOK_BACK = 100
_MOST_BESIDE = 0.1
"""Share of lines beside another line up to which a page has one column."""


@dataclass(frozen=True, slots=True)
class Span:
    """Text set in one go; units are points, y grows upwards."""

    text: str
    x: float
    y: float
    size: float
    is_bold: bool
    angle: float
    is_placed: bool = True
    """Whether the place is that of this text, and not of the line before it."""

    @property
    def end(self) -> float:
        """Estimate where the text ends; a wide character is as wide as its size, another about half."""
        return self.x + sum(1.0 if char > "\u2e7f" else 0.5 for char in self.text.rstrip()) * self.size


Spans = list[Span]


def in_reading_order(lines: Sequence[Spans]) -> list[Spans]:
    """Return the lines of a page top down; the left column before the right one where there are two."""
    if any(not span.is_placed and span.text.strip() for line in lines for span in line):
        return _columns_parted(lines)
    whole = _columns_parted(_baselines_joined(lines))
    return sorted(whole, key=lambda line: -_filled(line)[0].y) if _is_one_column(whole) else whole


def _filled(line: Spans) -> list[Span]:
    return [span for span in line if span.text.strip()] or line


def _baselines_joined(lines: Sequence[Spans]) -> list[Spans]:
    """Join text that directly goes on from earlier text on the same height, such as words set in another colour."""
    joined: list[Spans] = []
    for line in lines:
        if not any(span.text.strip() for span in line):
            joined += [list(line)] if line else []  # a blank line parts paragraphs
            continue
        for before in reversed(joined[-_LOOK_BACK:]):
            if _touch(before, line) or _touch(line, before):
                before[:] = _spaced(sorted([*before, *line], key=lambda span: span.x))
                break
        else:
            joined.append(list(line))
    return joined


def _spaced(line: Spans) -> Spans:
    """Return the spans with a blank between words that were set apart by their places alone."""
    spaced: Spans = []
    for span in line:
        before = spaced[-1].text if spaced else " "
        needs_blank = not (
            before[-1:].isspace() or span.text[:1].isspace() or before[-1] > "\u2e7f" or span.text[0] > "\u2e7f"
        )
        is_apart = needs_blank and span.x - spaced[-1].end > _WORD_GAP * span.size
        spaced.append(replace(span, text=f" {span.text}") if is_apart else span)
    return spaced


def _touch(left: Spans, right: Spans) -> bool:
    end, start = _filled(left)[-1], _filled(right)[0]
    if not end.text.strip() or end.angle or start.angle or abs(end.y - start.y) > 0.2 * start.size:
        return False
    # Narrow characters make the end a guess, which must not bridge the gap between two columns.
    guess = sum(char <= "\u2e7f" for span in left for char in span.text.strip()) * _NARROW_ERROR
    return guess <= _JOINED and abs(start.x - end.end) <= _JOINED * start.size and start.x > end.x


def _is_one_column(lines: Sequence[Spans]) -> bool:
    """Say whether hardly any line stands beside another."""
    spans = [span for span in (_filled(line)[0] for line in lines if line) if span.text.strip()]
    placed = sorted((span.y, span.size) for span in spans)
    beside = sum(1 for (low, size), (high, _) in pairwise(placed) if high - low < 0.5 * size)
    return beside <= _MOST_BESIDE * len(placed)


def _columns_parted(lines: Sequence[Spans]) -> list[Spans]:
    """Return the left column before the right one where the page was written row by row across both."""
    filled = [span for line in lines for span in line if span.text.strip()]
    left, right = min((span.x for span in filled), default=0), max((span.end for span in filled), default=0)
    inside = (left + _MOST_UNEVEN * (right - left), right - _MOST_UNEVEN * (right - left))
    later = [span.x for line in lines for span in line[1:] if span.text.strip()]
    starts = Counter(round(x) for x in later if inside[0] <= x <= inside[1])
    middle = max(starts, key=lambda x: sum(starts[x + near] for near in (-1, 0, 1)), default=None)
    if middle is None:
        return list(lines)
    parted = [_parted(line, middle) for line in lines]
    rows = [(left, right) for left, right in parted if left and right]
    across = sum(1 for line in lines if line and line[0].x < middle < max(span.end for span in line))
    if len(rows) < max(_LEAST_ROWS, _LEAST_PARTED * across) or not (
        _fills(rows, 0, middle) and _fills(rows, 1, middle)
    ):
        return list(lines)
    return list(_left_then_right(parted, middle))


def _parted(line: Spans, middle: float) -> tuple[Spans, Spans]:
    for number, span in enumerate(line):
        if abs(span.x - middle) <= _SAME_START and span.text.strip():
            return line[:number], line[number:]
    return line, []


def _fills(rows: Sequence[tuple[Spans, Spans]], side: int, middle: float) -> bool:
    """Say whether most lines reach the end of their column, as prose does and cells of a table do not."""
    left = min(span.x for row in rows for span in row[0])
    lengths = sorted(sum(span.end - span.x for span in row[side]) for row in rows)
    return lengths[len(lengths) // 2] >= _LEAST_FILL * (middle - left)


def _left_then_right(parted: Sequence[tuple[Spans, Spans]], middle: float) -> Iterator[Spans]:
    left_column: list[Spans] = []
    right_column: list[Spans] = []
    for left, right in parted:
        filled = [span for span in left if span.text.strip()]
        is_across = filled and not right and filled[0].x < middle < max(span.end for span in filled) - filled[0].size
        if is_across:
            yield from [*left_column, *right_column, left]
            left_column, right_column = [], []
        else:
            left_column += [left] if left else []
            right_column += [right] if right else []
    yield from [*left_column, *right_column]
