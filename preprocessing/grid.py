"""Cells become a Markdown table: every row as wide as the others, nothing empty, one line a row."""

import re
from collections.abc import Sequence

from preprocessing.document import Block

_WIDE_END = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]$")
_MARK_END = re.compile(r"[。．.，,；;：:！!？?、]$")


def table_block(rows: Sequence[Sequence[str]], page: int | None = None, header_rows: int = 1) -> Block | None:
    """Return the table under its header, without empty rows and columns; None when no cell has text.

    Several header rows become one, each column with the names above it. A single cell is a frame around a paragraph.
    """
    width = max(map(len, rows), default=0)
    padded = [[one_line(cell).replace("|", "\\|") for cell in row] + [""] * (width - len(row)) for row in rows]
    used = [column for column in range(width) if any(row[column] for row in padded)]
    head = [[row[column] for column in used] for row in padded[:header_rows]]
    body = [[row[column] for column in used] for row in padded[header_rows:]]
    filled = [row for row in [_one_header(head), *body] if any(row)]
    if not filled:
        return None
    if len(filled) == 1 and len(used) == 1:
        return Block("paragraph", next("\n".join(row) for row in rows if any(row)).strip(), page=page)
    lines = [f"| {' | '.join(row)} |" for row in filled]
    return Block("table", "\n".join([lines[0], f"|{' --- |' * len(used)}", *lines[1:]]), page=page)


def one_line(cell: str) -> str:
    """Return the lines of a cell as one, parted by semicolons where a line has no mark at its end."""
    lines = [" ".join(line.split()) for line in cell.split("\n")]
    text = ""
    for line in filter(None, lines):
        if text and (_MARK_END.search(text) or line[0] in "(（[【"):
            text += line if _WIDE_END.search(text) else f" {line}"
        elif text:
            text += f"；{line}" if _WIDE_END.search(text) else f"; {line}"
        else:
            text = line
    return text


def _one_header(rows: Sequence[Sequence[str]]) -> list[str]:
    if len(rows) < 2:
        return list(rows[0]) if rows else []
    # A name that is merged downwards or across stands in several rows, and is said once.
    return [" ".join(dict.fromkeys(filter(None, column))) for column in zip(*rows, strict=True)]
