"""Text of Word's paragraphs, cells and tables, with all changes accepted and hidden text left out."""

import re
from collections.abc import Iterator
from typing import Any

from preprocessing.document import Block
from preprocessing.tables import one_line, table_block

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
TEXT_BOX = f"{W}txbxContent"
WRAPPERS = frozenset({f"{W}sdt", f"{W}sdtContent", f"{W}ins", f"{W}moveTo", f"{W}customXml", f"{W}smartTag"})
# Text that was deleted or moved away, the second copy that old versions of Word read, the reading of a character.
_UNREAD = frozenset(
    {f"{W}del", f"{W}moveFrom", f"{W}pPr", f"{W}rPr", f"{W}tbl", f"{W}rt", f"{W}sdtPr", TEXT_BOX, _FALLBACK}
)
_SIGNS = {f"{W}tab": "\t", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-"}
_NOTES = {f"{W}footnoteReference": "", f"{W}endnoteReference": "e"}
# Boxes and ticks of the Wingdings fonts; whether a box is ticked is a fact.
_SYMBOLS = {"F0FE": "☑", "F0FD": "☒", "F0A8": "☐", "F06F": "☐", "F071": "☐", "F0FC": "✓", "F0FB": "✗", "F0B7": "•"}
_POWER = re.compile(r"[-+−]?\d+")
_MOST_COLUMNS = 1000


def text_of(element: Any) -> str:
    """Return the text without that of text boxes and tables inside; notes stand as `[^1]`, powers as `10^6`."""
    parts: list[str] = []
    for child in element:
        if child.tag in _UNREAD:
            continue
        if child.tag in (f"{W}t", f"{_M}t"):
            parts.append(child.text or "")
        elif child.tag in _SIGNS:
            parts.append(_SIGNS[child.tag])
        elif child.tag == f"{W}sym":
            parts.append(_SYMBOLS.get((child.get(f"{W}char") or "").upper(), ""))
        elif child.tag in _NOTES:
            parts.append(f"[^{_NOTES[child.tag]}{child.get(f'{W}id')}]")
        elif child.tag == f"{W}r":
            parts.append(_run(child))
        else:
            inner = text_of(child)
            parts.append(f"\n{inner}" if child.tag == f"{W}p" and parts and inner else inner)
    return "".join(parts)


def hidden_texts(element: Any) -> Iterator[str]:
    """Yield the texts of runs that are hidden, which `text_of` leaves out."""
    for run in element.iter(f"{W}r"):
        if _is_hidden(run):
            yield "".join(text.text or "" for text in run.iter(f"{W}t"))


def _is_hidden(run: Any) -> bool:
    return is_on(run.find(f"{W}rPr/{W}vanish"))


def _run(run: Any) -> str:
    if _is_hidden(run):
        return ""
    properties = run.find(f"{W}rPr")
    text = text_of(run)
    raised = None if properties is None else properties.find(f"{W}vertAlign")
    if raised is not None and raised.get(f"{W}val") == "superscript" and _POWER.fullmatch(text):
        return f"^{text}"  # 10⁶ must not read as 106
    return text


def is_on(switch: Any) -> bool:
    """Say whether a property that is on or off is on."""
    return switch is not None and switch.get(f"{W}val") not in ("0", "false", "off")


def property_value(element: Any, name: str) -> str | None:
    """Return the value of a paragraph property, such as its style."""
    properties = element.find(f"{W}pPr")
    found = None if properties is None else properties.find(f"{W}{name}")
    return None if found is None else found.get(f"{W}val")


def body_elements(parent: Any) -> Iterator[Any]:
    """Yield paragraphs and tables in order, also those in content controls; a table of contents is left out."""
    for element in parent:
        if element.tag in (f"{W}p", f"{W}tbl"):
            yield element
        elif element.tag in WRAPPERS and not _is_contents(element):
            yield from body_elements(element)


def _is_contents(element: Any) -> bool:
    gallery = element.find(f"{W}sdtPr/{W}docPartObj/{W}docPartGallery")
    return gallery is not None and gallery.get(f"{W}val") == "Table of Contents"


def text_boxes(paragraph: Any) -> Iterator[Any]:
    """Yield the contents of the text boxes that are anchored in the paragraph."""
    for box in paragraph.iter(TEXT_BOX):
        within = [ancestor.tag for ancestor in box.iterancestors()]
        if _FALLBACK not in within and TEXT_BOX not in within[: within.index(f"{W}p") + 1]:
            yield box


def is_joined_to_next(paragraph: Any) -> bool:
    """Say whether the mark at the end of the paragraph was deleted, so that the next one goes on in its line."""
    return paragraph.find(f"{W}pPr/{W}rPr/{W}del") is not None


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
