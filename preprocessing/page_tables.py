"""Ruled tables that go on over a page break say their header on each page."""

from collections.abc import Sequence
from dataclasses import replace

from preprocessing.page_lines import Line

_SAME_PLACE = 3.0


def with_tables_continued(lines: Sequence[Line]) -> list[Line]:
    """Put the header of a table in front of its rows on the next page, where nothing but the break parts them."""
    continued: list[Line] = []
    above: Line | None = None
    for line in lines:
        if above is not None and line.table and _goes_on(above, line):
            header = above.table[0]
            rows = line.table if line.table[0] == header else (header, *line.table)
            line = replace(line, table=rows)
        continued.append(line)
        if line.text or line.table:
            above = line
    return continued


def _goes_on(above: Line, below: Line) -> bool:
    return (
        bool(above.table)
        and below.page == above.page + 1
        and len(above.columns) == len(below.columns)
        and all(abs(one - other) <= _SAME_PLACE for one, other in zip(above.columns, below.columns, strict=True))
    )
