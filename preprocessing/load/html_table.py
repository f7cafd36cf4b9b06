"""HTML tables: merged cells spread over what they cover, header rows told from the rest."""

from collections.abc import Callable, Iterator
from typing import Any

from preprocessing.document import Block
from preprocessing.grid import table_block

_MOST_SPAN = 1000
_ROW_PARENTS = ("tr", "thead", "tbody", "tfoot")
_LAYOUT = ("h1", "h2", "h3", "h4", "h5", "h6", "table", "form", "pre")


def is_layout(table: Any) -> bool:
    """Say whether the table only places parts of the page: it has one column, or holds headings and says no header."""
    if table.get("role") in ("presentation", "none"):
        return True
    has_header = table.find("caption") is not None or table.find("thead") is not None
    has_header = has_header or any(cell.tag == "th" for row in _rows(table) for cell in _cells(row))
    if not has_header and any(table.find(f".//{tag}") is not None for tag in _LAYOUT):
        return True
    return all(sum(_span(cell, "colspan") for cell in _cells(row)) <= 1 for row in _rows(table))


def table_blocks(table: Any, text_of: Callable[[Any], str]) -> Iterator[Block]:
    """Yield the caption and the table."""
    caption = table.find("caption")
    if caption is not None and (text := " ".join(text_of(caption).split())):
        yield Block("paragraph", text)
    rows = _rows(table)
    header_rows = _header_rows(rows)
    block = table_block(_spread(rows, header_rows, text_of), header_rows=header_rows)
    if block is not None:
        yield block


def _rows(table: Any) -> list[Any]:
    parts = [[child] if child.tag == "tr" else child.iterchildren("tr") for child in table if child.tag in _ROW_PARENTS]
    return [row for part in parts for row in part]


def _cells(row: Any) -> list[Any]:
    return list(row.iterchildren("td", "th"))


def _header_rows(rows: list[Any]) -> int:
    """Return how many rows at the top are header: those of `thead`, else of nothing but `th`; at least one."""
    count = 0
    for row in rows:
        cells = _cells(row)
        if row.getparent().tag == "thead" or (cells and all(cell.tag == "th" for cell in cells)):
            count += 1
        else:
            break
    return min(count, len(rows) - 1) if count > 1 else 1


def _span(cell: Any, name: str) -> int:
    value = cell.get(name) or "1"
    return min(int(value), _MOST_SPAN) if value.isdigit() and int(value) else 1


def _spread(rows: list[Any], header_rows: int, text_of: Callable[[Any], str]) -> list[list[str]]:
    """Return the texts by row and column: said again downwards, and across in the header, else once."""
    grid: dict[tuple[int, int], str] = {}
    for number, row in enumerate(rows):
        column = 0
        for cell in _cells(row):
            while (number, column) in grid:
                column += 1
            text = text_of(cell)
            for below in range(min(_span(cell, "rowspan"), len(rows) - number)):
                for beside in range(_span(cell, "colspan")):
                    is_said = beside == 0 or number < header_rows
                    grid[number + below, column + beside] = text if is_said else ""
            column += _span(cell, "colspan")
    width = max((column for _, column in grid), default=-1) + 1
    return [[grid.get((number, column), "") for column in range(width)] for number in range(len(rows))]
