"""Word tables: merged cells, deleted rows, tables inside cells."""

from collections.abc import Iterator
from typing import Any

from preprocessing.document import Block
from preprocessing.grid import one_line, table_block
from preprocessing.load.docx_text import WRAPPERS, W, body_elements, text_boxes, text_of

_MOST_COLUMNS = 1000


def read_table(table: Any) -> Block | None:
    """Return the table as it stands with all changes accepted; None when it holds no text."""
    rows: list[list[str]] = []
    for row in _children(table, f"{W}tr"):
        if row.find(f"{W}trPr/{W}del") is None:
            rows.append(_cells(row, rows[-1] if rows else []))
    return table_block(rows)


def _children(parent: Any, tag: str) -> Iterator[Any]:
    for child in parent:
        if child.tag == tag:
            yield child
        elif child.tag in WRAPPERS:
            yield from _children(child, tag)


def _cells(row: Any, above: list[str]) -> list[str]:
    """Return the texts of a row; a cell merged downwards repeats its text, one merged across is followed by blanks."""
    cells: list[str] = [""] * _skipped(row)
    for cell in _children(row, f"{W}tc"):
        merge, span = cell.find(f"{W}tcPr/{W}vMerge"), cell.find(f"{W}tcPr/{W}gridSpan")
        continued = merge is not None and merge.get(f"{W}val") != "restart"
        is_deleted = cell.find(f"{W}tcPr/{W}cellDel") is not None
        own = "" if is_deleted else _cell_text(cell)
        cells.append(above[len(cells)] if continued and len(cells) < len(above) else own)
        cells.extend([""] * (_count(span) - 1))
    return cells


def _skipped(row: Any) -> int:
    """Return how many columns the row leaves free at its beginning."""
    free = row.find(f"{W}trPr/{W}gridBefore")
    return _count(free) if free is not None else 0


def _count(element: Any) -> int:
    """Return a number of columns, at least 1; Word itself has no more than 63."""
    value = "1" if element is None else element.get(f"{W}val") or "1"
    return max(1, min(int(value), _MOST_COLUMNS)) if value.isdigit() else 1


def _cell_text(cell: Any) -> str:
    """Return the lines of a cell; a table inside gives a line for each of its rows."""
    lines: list[str] = []
    for element in body_elements(cell):
        if element.tag == f"{W}tbl":
            for row in _children(element, f"{W}tr"):
                inner = [one_line(_cell_text(inside)) for inside in _children(row, f"{W}tc")]
                lines.append(", ".join(filter(None, inner)))
        else:
            lines.append(text_of(element))
            lines += [text_of(box) for box in text_boxes(element)]
    return "\n".join(filter(None, lines))
