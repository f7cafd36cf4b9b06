"""Tables of a PDF page whose cells are ruled: the lines drawn say which text belongs together."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from preprocessing.load.pdf.order import Span

_WIDE = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")
NEAR = 2.5
"""Points by which rules that belong together may miss each other."""
DOUBLE = 7.0
"""Points between the lines of a double rule, where no text fits."""
_THIN = 3.0
_MOST_RULES = 3000
_BOTH = frozenset({b"B", b"B*", b"b", b"b*"})
STROKED, FILLING = _BOTH | {b"S", b"s"}, _BOTH | {b"f", b"F", b"f*"}

Interval = tuple[float, float]
Ruled = dict[float, list[Interval]]
"""Rules of one direction: where they stand, and from where to where they are drawn."""


@dataclass(frozen=True, slots=True)
class Table:
    """Texts of the cells by row and column, and the spans that they are made of."""

    rows: list[list[str]]
    columns: list[float]
    spans: frozenset[Span]


@dataclass(slots=True)
class Path:
    """What is drawn until it is painted or given up, in points of the page."""

    lines: list[tuple[float, float, float, float]] = field(default_factory=list)
    """Straight lines from point to point; a rectangle is its diagonal."""
    corners: list[tuple[float, float]] = field(default_factory=list)
    is_rectangle: bool = True
    """Whether nothing else than one closed shape of straight lines was drawn."""
    _point: tuple[float, float] = (0.0, 0.0)

    def follow(self, operator: bytes, operands: Sequence[Any], cm: Sequence[float]) -> None:
        """Take note of an operation that draws, or ends the path."""
        if operator == b"re" and len(operands) >= 4:
            x, y, width, height = map(float, operands[:4])
            self.is_rectangle &= not self.corners
            self.corners += [placed(x + dx, y + dy, cm) for dx in (0, width) for dy in (0, height)]
            self.lines.append((*self.corners[-4], *self.corners[-1]))
        elif operator in (b"m", b"l") and len(operands) >= 2:
            point = placed(float(operands[0]), float(operands[1]), cm)
            self.is_rectangle &= operator == b"l" or not self.corners
            self.corners.append(point)
            if operator == b"l":
                self.lines.append((*self._point, *point))
            self._point = point
        elif operator in (b"c", b"v", b"y") and len(operands) >= 2:
            self.is_rectangle = False
            if all(isinstance(operand, int | float) for operand in operands[-2:]):
                self.corners.append(placed(float(operands[-2]), float(operands[-1]), cm))
        elif operator == b"n" or operator in STROKED | FILLING:
            self.lines, self.corners, self.is_rectangle = [], [], True


def placed(x: float, y: float, cm: Sequence[float]) -> tuple[float, float]:
    """Return where a point of the matrix lies on the page."""
    return x * cm[0] + y * cm[2] + cm[4], x * cm[1] + y * cm[3] + cm[5]


@dataclass(slots=True)
class Rules:
    """Collects the straight lines that a page draws."""

    across: Ruled = field(default_factory=dict)
    down: Ruled = field(default_factory=dict)
    count: int = 0
    _path: Path = field(default_factory=Path)

    @property
    def is_drawing(self) -> bool:
        """Say whether there are more rules than tables have."""
        return self.count > _MOST_RULES

    def operand(self, operator: bytes, operands: Sequence[Any], cm: Sequence[float], _tm: Sequence[float]) -> None:
        """Take note of a path, and of whether it is painted."""
        if operator in STROKED | FILLING:
            for x1, y1, x2, y2 in self._path.lines:
                self._draw(min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2), operator in STROKED)
        self._path.follow(operator, operands, cm)

    def _draw(self, left: float, low: float, right: float, high: float, is_stroked: bool) -> None:
        self.count += 1
        if self.is_drawing or (right - left <= _THIN and high - low <= _THIN):
            return
        if high - low <= _THIN:
            _add(self.across, (low + high) / 2, (left, right))
        elif right - left <= _THIN:
            _add(self.down, (left + right) / 2, (low, high))
        elif is_stroked:  # else it is the background of a cell
            for y in (low, high):
                _add(self.across, y, (left, right))
            for x in (left, right):
                _add(self.down, x, (low, high))


def tables_of(rules: Rules, spans: Sequence[Span]) -> list[Table]:
    """Return the tables of at least two rows and two columns; one whose text does not fit its cells is none."""
    if rules.is_drawing:
        return []
    found = (_table(xs, ys, rules, spans) for xs, ys in _grids(joined(rules.across), joined(rules.down)))
    return [table for table in found if table is not None]


def _grids(across: Ruled, down: Ruled) -> Iterator[tuple[list[float], list[float]]]:
    """Yield the columns (left to right) and rows (top to bottom) of rules that cross each other."""
    lines = [(y, *drawn) for y, pieces in across.items() for drawn in pieces]
    posts = [(x, *drawn) for x, pieces in down.items() for drawn in pieces]
    while posts:
        grid_posts, grid_lines = [posts.pop()], list[tuple[float, float, float]]()
        grows = True
        while grows:
            new_lines = [line for line in lines if any(_cross(line, post) for post in grid_posts)]
            lines = [line for line in lines if line not in new_lines]
            grid_lines += new_lines
            new_posts = [post for post in posts if any(_cross(line, post) for line in new_lines)]
            posts = [post for post in posts if post not in new_posts]
            grid_posts += new_posts
            grows = bool(new_lines or new_posts)
        xs = _apart(sorted({post[0] for post in grid_posts}))
        ys = _apart(sorted({line[0] for line in grid_lines}))[::-1]
        if len(xs) >= 3 and len(ys) >= 3:
            yield xs, ys


def _apart(places: Sequence[float]) -> list[float]:
    """Return the places without those of double rules, between which no text fits."""
    apart: list[float] = []
    for place in places:
        if not apart or place - apart[-1] > DOUBLE:
            apart.append(place)
    return apart


def _cross(line: tuple[float, float, float], post: tuple[float, float, float]) -> bool:
    (y, left, right), (x, low, high) = line, post
    return left - NEAR <= x <= right + NEAR and low - NEAR <= y <= high + NEAR


def _table(xs: list[float], ys: list[float], rules: Rules, spans: Sequence[Span]) -> Table | None:
    owner = _owners(xs, ys, rules)
    cells: dict[tuple[int, int], list[Span]] = {}
    for span in spans:
        row = next((number for number in range(len(ys) - 1) if ys[number + 1] < span.y + 1 <= ys[number] + 1), None)
        column = next((number for number in range(len(xs) - 1) if xs[number] <= span.x + 1 < xs[number + 1]), None)
        if row is None or column is None:
            continue
        cell = owner[row, column]
        right = max(xs[other + 1] for (_, other), its in owner.items() if its == cell)
        if span.end > right + 10 + 0.25 * (right - xs[cell[1]]):
            return None  # text across cells: its parts cannot be told apart
        cells.setdefault(cell, []).append(span)
    filled = [cell for cell, found in cells.items() if any(span.text.strip() for span in found)]
    if len({row for row, _ in filled}) < 2 or len({column for _, column in filled}) < 2:
        return None
    rows = [
        [
            _cell_text(cells.get(owner[row, column], [])) if owner[row, column][1] == column else ""
            for column in range(len(xs) - 1)
        ]
        for row in range(len(ys) - 1)
    ]
    return Table(rows, xs, frozenset(span for found in cells.values() for span in found))


def _owners(xs: list[float], ys: list[float], rules: Rules) -> dict[tuple[int, int], tuple[int, int]]:
    """Return for each place the cell it belongs to: without a rule between them two places are one cell."""
    across, down = joined(rules.across), joined(rules.down)
    owner: dict[tuple[int, int], tuple[int, int]] = {}
    for row in range(len(ys) - 1):
        for column in range(len(xs) - 1):
            x, y = (xs[column] + xs[column + 1]) / 2, (ys[row] + ys[row + 1]) / 2
            if row and not covers(across, ys[row], x):
                owner[row, column] = owner[row - 1, column]
            elif column and not covers(down, xs[column], y):
                owner[row, column] = owner[row, column - 1]
            else:
                owner[row, column] = (row, column)
    return owner


def _cell_text(spans: Sequence[Span]) -> str:
    """Return the text of a cell, whose lines are broken by its width alone."""
    lines: list[tuple[float, str]] = []
    for span in sorted(spans, key=lambda span: -span.y):
        if lines and abs(lines[-1][0] - span.y) <= 0.5 * span.size:
            lines[-1] = (lines[-1][0], lines[-1][1] + span.text)
        else:
            lines.append((span.y, span.text))
    text = ""
    for _, line in lines:
        part = " ".join(line.split())
        no_blank = not text or _WIDE.match(text[-1]) or (part and _WIDE.match(part[0]))
        text += part if no_blank else f" {part}"
    return text


def _add(rules: Ruled, place: float, drawn: Interval) -> None:
    near = next((known for known in rules if abs(known - place) <= NEAR), place)
    rules.setdefault(near, []).append(drawn)


def joined(rules: Ruled) -> Ruled:
    """Return the rules with pieces that touch made one."""
    whole_rules: Ruled = {}
    for place, pieces in rules.items():
        whole: list[Interval] = []
        for begin, end in sorted(pieces):
            if whole and begin <= whole[-1][1] + NEAR:
                whole[-1] = (whole[-1][0], max(whole[-1][1], end))
            else:
                whole.append((begin, end))
        whole_rules[place] = whole
    return whole_rules


def covers(rules: Ruled, place: float, at: float) -> bool:
    """Say whether a rule at the place, or its double, is drawn over a point."""
    near = (pieces for known, pieces in rules.items() if abs(known - place) <= DOUBLE)
    return any(begin - NEAR <= at <= end + NEAR for pieces in near for begin, end in pieces)
