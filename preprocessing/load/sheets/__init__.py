"""Spreadsheets: each sheet a section with its tables, the titles above and the notes below them."""

import io
import re
import warnings
import zipfile
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import openpyxl

from preprocessing.document import Block, Parsed
from preprocessing.errors import LoadError
from preprocessing.load.content import check_package
from preprocessing.load.sheets.cell_format import moment_text, number_text
from preprocessing.tables import table_block

MAX_UNPACKED_BYTES = 100 * 1024 * 1024
"""Cells take some ten times the memory of their XML."""
_NO_RESULT = re.compile(rb"<c [^>]*?r=\"([A-Z]+\d+)\"[^>]*>\s*<f\b[^>]*(?:/>|>[^<]*</f>)\s*(?:<v\s*/>|<v></v>)?\s*</c>")
_MOST_NAMED = 5
Grid = list[list[Any]]
"""Cells by row and column; a cell that is covered by a merged one stands for it downwards and is None across."""


def read_xlsx(data: bytes, _password: str | None = None) -> Parsed:
    """Read the visible sheets of a workbook; formulas by the results that were saved with it."""
    check_package(data, MAX_UNPACKED_BYTES)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns of drawings and styles, which are not read here
            workbook = openpyxl.load_workbook(io.BytesIO(data), data_only=True)
    except Exception as error:
        raise LoadError(f"not a readable Excel workbook: {' '.join(str(error).split())[:100]}") from error
    shown = [sheet for sheet in workbook.worksheets if sheet.sheet_state == "visible"]
    hidden = [sheet.title for sheet in workbook.worksheets if sheet.sheet_state != "visible"]
    told = [f"hidden sheets left out: {', '.join(hidden)}"] if hidden else []
    without_result = _formulas_without_result(data)
    if without_result:
        cells = ", ".join(without_result[:_MOST_NAMED]) + (" and more" if len(without_result) > _MOST_NAMED else "")
        told.append(f"{len(without_result)} formulas without a saved result ({cells}); open and save it in Excel")
    return Parsed(
        blocks=tuple(block for sheet in shown for block in _sheet_blocks(sheet)),
        property_title=workbook.properties.title,
        updated_at=_modified(data, workbook),
        warnings=tuple(told),
    )


def _modified(data: bytes, workbook: Any) -> str | None:
    has_properties = "docProps/core.xml" in zipfile.ZipFile(io.BytesIO(data)).namelist()
    return workbook.properties.modified.isoformat() if has_properties and workbook.properties.modified else None


def _formulas_without_result(data: bytes) -> list[str]:
    package = zipfile.ZipFile(io.BytesIO(data))
    sheets = [name for name in package.namelist() if name.startswith("xl/worksheets/sheet")]
    return [found.decode("ascii") for name in sheets for found in _NO_RESULT.findall(package.read(name))]


def _sheet_blocks(sheet: Any) -> Iterator[Block]:
    blocks = [block for region in regions_of(_grid(sheet)) for block in region_blocks(region)]
    if blocks:
        yield Block("heading", " ".join(sheet.title.split()), 1)
        yield from blocks


def _grid(sheet: Any) -> Grid:
    """Return the rows and columns that hold something, with one empty row in place of each gap between rows.

    A sheet whose last row was given a colour has a million rows otherwise.
    """
    cells = {place: cell for place, cell in sheet._cells.items() if cell.value is not None}
    rows, columns = sorted({row for row, _ in cells}), sorted({column for _, column in cells})
    lines = {row: [cells.get((row, column)) for column in columns] for row in rows}
    for merged in sheet.merged_cells.ranges:
        first = cells.get((merged.min_row, merged.min_col))
        covered = slice(bisect_left(columns, merged.min_col), bisect_right(columns, merged.max_col))
        blanks: list[Any] = [None] * (covered.stop - covered.start - 1)
        for row in rows[bisect_left(rows, merged.min_row) : bisect_right(rows, merged.max_row)] if first else ():
            lines[row][covered] = [first, *blanks]
    grid: Grid = []
    for above, row in pairwise([0, *rows]):
        grid += [lines[row]] if row == above + 1 else [[None] * len(columns), lines[row]]
    return grid


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
