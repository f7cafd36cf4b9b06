"""Markdown tables: made from cells, cut between rows, the header said again."""

import re
from collections.abc import Iterator, Sequence

from preprocessing.document import Block
from preprocessing.sentences import cut

_RULE = re.compile(r"^\|?[\s:|-]*-[\s:|-]*$")
_CELL_END = re.compile(r"(?<!\\)\|")
_WIDE_END = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]$")
_MARK_END = re.compile(r"[。．.，,；;：:！!？?、]$")


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
