"""Comma-separated values: one table; the delimiter is the one that gives rows of one width."""

import csv
import io
from collections import Counter
from typing import Literal

from preprocessing.document import Block, Parsed
from preprocessing.errors import LoadError
from preprocessing.load.encoding import decode_clean
from preprocessing.tables import table_block

_DELIMITERS = ",;\t|，；"
_SAMPLE_ROWS = 200
_MOST_LINES_IN_CELL = 50


def read_csv(data: bytes, _password: str | None = None) -> Parsed:
    """Read a table; rows of one cell before it are its title."""
    decoded = decode_clean(data)
    text, marked = _without_mark(decoded.text)
    rows = _rows(text, marked or _delimiter(text))
    width = max((len(row) for row in rows), default=0)
    blocks: list[Block] = []
    while width > 1 and rows and sum(map(bool, rows[0])) == 1:
        blocks.append(Block("paragraph", next(filter(None, rows.pop(0)))))
    table = table_block(rows)
    return Parsed(
        blocks=tuple([*blocks, table] if table else blocks), encoding=decoded.encoding, warnings=decoded.warnings
    )


def _without_mark(text: str) -> tuple[str, str | None]:
    """Part the line `sep=;` that Excel writes from the text."""
    first, _, rest = text.partition("\n")
    return (rest, first[4]) if len(first) == 5 and first.startswith("sep=") else (text, None)


def _delimiter(text: str) -> str:
    """Return the delimiter under which most rows have one width above 1, the widest first."""
    sample = "\n".join(text.split("\n")[:_SAMPLE_ROWS])

    def fitness(delimiter: str) -> tuple[float, int]:
        widths = Counter(len(row) for row in _rows(sample, delimiter) if any(row))
        width, count = max(widths.items(), key=lambda item: (item[0] > 1, item[1], item[0]), default=(0, 0))
        return (count / widths.total(), width) if width > 1 else (0.0, 0)

    return max(_DELIMITERS, key=fitness)


def _rows(text: str, delimiter: str) -> list[list[str]]:
    rows = _parsed(text, delimiter, csv.QUOTE_MINIMAL)
    if any(cell.count("\n") > _MOST_LINES_IN_CELL for row in rows for cell in row):
        return _parsed(text, delimiter, csv.QUOTE_NONE)  # a quote that is never closed would swallow the file
    return rows


def _parsed(text: str, delimiter: str, quoting: Literal[0, 3]) -> list[list[str]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quoting=quoting, skipinitialspace=True)
    try:
        return [[cell.strip() for cell in row] for row in reader if any(map(str.strip, row))]
    except csv.Error as error:
        raise LoadError(f"row {reader.line_num} is not readable as CSV ({error})") from error
