"""Markdown tables: rows kept whole, the header said again."""

import re
from collections.abc import Iterator

from preprocessing.sentences import cut

_RULE = re.compile(r"^\|?[\s:|-]*-[\s:|-]*$")
_CELL_END = re.compile(r"(?<!\\)\|")


def table_parts(table: str, max_chars: int, first: int | None = None) -> list[str]:
    """Cut a table between rows into parts of at most `max_chars`, each with the header and rule rows.

    `first` is the room in the first part. A row that fits in no part becomes lines of `column: value`.
    """
    header, rows = table_rows(table)
    head = "\n".join(header)
    parts: list[str] = []
    body: list[str] = []
    room = first or max_chars

    def close() -> None:
        if body:
            parts.append("\n".join([*header, *body]))
            body.clear()

    for row in rows:
        if len(head) + 1 + len(row) > max_chars:
            close()
            parts.extend(_long_row(header, row, max_chars))
            room = max_chars
            continue
        if len(head) + sum(len(line) + 1 for line in [*body, row]) > room:
            close()
            room = max_chars
        body.append(row)
    close()
    if not rows:
        parts = [table] if len(table) <= max_chars else cut(" ".join(cells(header[0])), max_chars)
    return parts


def table_rows(table: str) -> tuple[list[str], list[str]]:
    """Return the header and rule lines, then the rows; no header when the second line is no rule."""
    lines = table.split("\n")
    has_header = len(lines) > 1 and _RULE.match(lines[1]) is not None
    return (lines[:2], lines[2:]) if has_header else ([], lines)


def cells(row: str) -> list[str]:
    """Return the texts between the pipes of a row."""
    row = row.strip().removeprefix("|")
    return [cell.strip() for cell in _CELL_END.split(row.removesuffix("|") if not row.endswith("\\|") else row)]


def join_tables(above: str, below: str) -> str | None:
    """Return `below` without its header when `above` ends with a table under the same one, else None."""
    header, rows = table_rows(below)
    if not header:
        return None
    last = above.rsplit("\n\n", 1)[-1].split("\n")
    return "\n".join(rows) if rows and last[:2] == header else None


def _long_row(header: list[str], row: str, max_chars: int) -> Iterator[str]:
    names = cells(header[0]) if header else []
    lines = []
    for position, value in enumerate(cells(row)):
        name = names[position] if position < len(names) else ""
        if value:
            lines.append(f"{name}: {value}" if name else value)
    yield from cut("\n".join(lines), max_chars)
