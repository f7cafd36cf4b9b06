"""Tables of a sheet, with the titles above and the notes below them."""

from collections.abc import Iterator, Sequence
from typing import Any

from preprocessing.document import Block
from preprocessing.grid import table_block
from preprocessing.load.cell_format import moment_text, number_text

Grid = list[list[Any]]
"""Cells by row and column; a cell that is covered by a merged one stands for it downwards and is None across."""


def regions_of(grid: Grid) -> list[Grid]:
    """Part the rows where a new table begins below empty rows; gaps inside a table do not part it."""
    regions: list[Grid] = []
    is_after_gap = True
    for row in grid:
        if not any(map(_text, row)):
            is_after_gap = True
            continue
        if not regions or (is_after_gap and _begins_table(row, regions[-1])):
            regions.append([])
        regions[-1].append(row)
        is_after_gap = False
    return regions


def _begins_table(row: Sequence[Any], above: Grid) -> bool:
    cells = [cell for cell in row if _text(cell)]
    if len(cells) == 1 or _extent(row) != max(map(_extent, above), key=lambda extent: extent[1] - extent[0]):
        return True
    return all(isinstance(cell.value, str) and cell.font.bold for cell in cells)


def _extent(row: Sequence[Any]) -> tuple[int, int]:
    filled = [column for column, cell in enumerate(row) if _text(cell)]
    return filled[0], filled[-1]


def region_blocks(region: Grid) -> Iterator[Block]:
    """Yield titles above a table, the table, and notes below it."""
    rows = [[_text(cell) for cell in row] for row in region]
    is_single = [sum(map(bool, row)) == 1 for row in rows]
    if all(is_single):
        columns = {_extent(row)[0] for row in region}
        if len(columns) > 1 or len(rows) == 1:
            yield Block("paragraph", "\n".join(next(filter(None, row)) for row in rows))
            return
        is_single = [False] * len(rows)
    begin, end = is_single.index(False), len(rows) - is_single[::-1].index(False)
    # A row with the first cell alone may be a group inside the table; above and below it is none.
    for row in rows[:begin]:
        yield Block("paragraph", next(filter(None, row)))
    header_rows = _header_rows(region[begin:end])
    table = table_block([*_header(region[begin : begin + header_rows]), *rows[begin + header_rows : end]],
                        header_rows=header_rows)  # fmt: skip
    if table is not None:
        yield table
    for row in rows[end:]:
        yield Block("paragraph", next(filter(None, row)))


def _header_rows(table: Grid) -> int:
    """Return 2 when a cell of the first row is merged across or downwards, so that names stand in the second too."""
    if len(table) < 3:
        return 1
    above, below = table[0], table[1]
    is_merged_down = any(
        cell is not None and cell is other and _text(cell) for cell, other in zip(above, below, strict=True)
    )
    is_merged_across = any(cell is None and _text(other) for cell, other in zip(above, below, strict=True))
    return 2 if (is_merged_down or is_merged_across) and all(
        isinstance(cell.value, str) for cell in below if _text(cell)
    ) else 1  # fmt: skip


def _header(rows: Grid) -> list[list[str]]:
    """Return the texts of header rows, a name that is merged across said above each column."""
    texts: list[list[str]] = []
    for row in rows:
        said: list[str] = []
        for cell in row:
            said.append(said[-1] if cell is None and said and len(rows) > 1 else _text(cell))
        texts.append(said)
    return texts


def _text(cell: Any) -> str:
    value = None if cell is None else cell.value
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, (int, float)):
        return number_text(value, cell.number_format)
    return value.strip() if isinstance(value, str) else moment_text(value, cell.number_format)
