"""Spreadsheets: each sheet a section with its tables, values as the sheet shows them."""

import io
import re
import warnings
import zipfile
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from preprocessing.document import Block
from preprocessing.errors import LoadError
from preprocessing.load.ooxml import check_package
from preprocessing.load.parsed import Parsed
from preprocessing.load.sheet_tables import Grid, region_blocks, regions_of

MAX_UNPACKED_BYTES = 100 * 1024 * 1024
"""Cells take some ten times the memory of their XML."""
_NO_RESULT = re.compile(rb"<c [^>]*?r=\"([A-Z]+\d+)\"[^>]*>\s*<f\b[^>]*(?:/>|>[^<]*</f>)\s*(?:<v\s*/>|<v></v>)?\s*</c>")
_MOST_NAMED = 5


def read_xlsx(data: bytes, _password: str | None = None) -> Parsed:
    """Read the visible sheets of a workbook; formulas by the results that were saved with it."""
    check_package(data, MAX_UNPACKED_BYTES)
    import openpyxl  # slow to import

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
