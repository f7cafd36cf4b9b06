"""Tables of a PDF page whose cells are ruled: the lines drawn say which text belongs together."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from preprocessing.load.pdf_order import Span
from preprocessing.load.pdf_rules import DOUBLE, NEAR, Ruled, Rules, covers, joined

_WIDE = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")


@dataclass(frozen=True, slots=True)
class Table:
    """Texts of the cells by row and column, and the spans that they are made of."""

    rows: list[list[str]]
    columns: list[float]
    spans: frozenset[Span]


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
