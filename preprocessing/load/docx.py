"""Word: paragraphs and tables in the order of the body, as the text stands with all changes accepted."""

import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any

from preprocessing.document import Block
from preprocessing.errors import LoadError
from preprocessing.headings import mark_headings
from preprocessing.load.parsed import Parsed
from preprocessing.metadata import first_heading

MAX_UNPACKED_BYTES = 300 * 1024 * 1024
MAX_RATIO = 100
"""Unpacked over packed size of one part; text packs at most about 20 to 1."""
_RATIO_MATTERS_BYTES = 10 * 1024 * 1024

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
# Text that was deleted or moved away, and the second copy that old versions of Word read.
_UNREAD = frozenset({f"{_W}del", f"{_W}moveFrom", f"{_W}pPr", f"{_W}rPr", _FALLBACK})
_WRAPPERS = frozenset({f"{_W}sdt", f"{_W}sdtContent", f"{_W}ins", f"{_W}moveTo", f"{_W}customXml"})
_SIGNS = {f"{_W}tab": "\t", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}
_HEADING_STYLE = re.compile(r"(?:heading|标题)\s*([1-9])", re.IGNORECASE)


def read_docx(data: bytes, _password: str | None = None) -> Parsed:
    """Read a Word document without its headers and footers."""
    _check_package(data)
    import docx  # slow to import

    try:
        document = docx.Document(io.BytesIO(data))
    except Exception as error:
        raise LoadError(f"not a readable Word document: {error}") from error
    blocks = tuple(_blocks(document))
    marked_title = first_heading(blocks)
    if not any(block.kind == "heading" for block in blocks):
        blocks = _with_plain_headings(blocks)
    modified = document.core_properties.modified if _has_properties(document) else None
    return Parsed(
        blocks=blocks,
        heading_title=marked_title,
        property_title=document.core_properties.title,
        updated_at=modified.isoformat() if modified else None,
    )


def _has_properties(document: Any) -> bool:
    """Say whether the file has properties; the reader makes up some, dated today, for a file that has none."""
    return any(str(part.reltype).endswith("/core-properties") for part in document.part.package.rels.values())


def _check_package(data: bytes) -> None:
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        raise LoadError("old Word format or password required; open it in Word and save it as .docx without a password")
    try:
        parts = zipfile.ZipFile(io.BytesIO(data)).infolist()
    except (zipfile.BadZipFile, ValueError, OSError) as error:
        raise LoadError("not a Word document (no ZIP package inside); save it again as .docx") from error
    unpacked = sum(part.file_size for part in parts)
    if unpacked > MAX_UNPACKED_BYTES:
        raise LoadError(f"unpacks to {unpacked >> 20} MB, the limit is {MAX_UNPACKED_BYTES >> 20} MB")
    for part in parts:
        ratio = part.file_size / max(part.compress_size, 1)
        if part.file_size > _RATIO_MATTERS_BYTES and ratio > MAX_RATIO:
            raise LoadError(f"part {part.filename} unpacks {ratio:.0f} to 1, the limit is {MAX_RATIO} to 1")


def _blocks(document: Any) -> Iterator[Block]:
    items: list[str] = []
    for element in _body_elements(document.element.body):
        block = _table(element) if element.tag == f"{_W}tbl" else _paragraph(document, element)
        if block is None:
            continue
        if block.kind == "list":
            items.append(block.text)
            continue
        if items:
            yield Block("list", "\n".join(items))
            items = []
        yield block
    if items:
        yield Block("list", "\n".join(items))


def _body_elements(parent: Any) -> Iterator[Any]:
    for element in parent:
        if element.tag in (f"{_W}p", f"{_W}tbl"):
            yield element
        elif element.tag in _WRAPPERS:
            yield from _body_elements(element)


def _paragraph(document: Any, element: Any) -> Block | None:
    text = _text(element).strip()
    if not text:
        return None
    style = document.styles.get_by_id(_value(element, "pStyle"), 1)  # 1: paragraph style
    level = _heading_level(element, style)
    if level:
        return Block("heading", " ".join(text.split()), level)
    depth = _list_depth(element, style)
    if depth is not None:
        return Block("list", f"{'  ' * depth}- {' '.join(text.split())}")
    return Block("paragraph", text)


def _text(element: Any) -> str:
    parts: list[str] = []
    for child in element:
        if child.tag in _UNREAD:
            continue
        if child.tag == f"{_W}t":
            parts.append(child.text or "")
        elif child.tag in _SIGNS:
            parts.append(_SIGNS[child.tag])
        else:
            inner = _text(child)
            parts.append(f"\n{inner}" if child.tag == f"{_W}p" and inner else inner)  # a text box holds paragraphs
    return "".join(parts)


def _value(element: Any, name: str) -> str | None:
    properties = element.find(f"{_W}pPr")
    found = None if properties is None else properties.find(f"{_W}{name}")
    return None if found is None else found.get(f"{_W}val")


def _heading_level(element: Any, style: Any) -> int:
    outline = _value(element, "outlineLvl")
    while outline is None and style is not None:
        if style.name == "Title":
            return 1
        named = _HEADING_STYLE.match(style.name or "")
        if named:
            return min(int(named[1]), 6)
        outline = _value(style.element, "outlineLvl")
        style = style.base_style
    return min(int(outline) + 1, 6) if outline is not None and int(outline) < 9 else 0  # 9: body text


def _list_depth(element: Any, style: Any) -> int | None:
    while element is not None:
        properties = element.find(f"{_W}pPr")
        numbering = None if properties is None else properties.find(f"{_W}numPr")
        if numbering is not None:
            number, level = numbering.find(f"{_W}numId"), numbering.find(f"{_W}ilvl")
            if number is not None and number.get(f"{_W}val") == "0":
                return None  # 0 takes the numbering of the style away
            return int(level.get(f"{_W}val")) if level is not None else 0
        element, style = (None, None) if style is None else (style.element, style.base_style)
    return None


def _table(element: Any) -> Block | None:
    rows: list[list[str]] = []
    for row in element.iter(f"{_W}tr"):
        if row.getparent() is not element and row.getparent().tag not in _WRAPPERS:
            continue  # row of a table inside a cell
        if row.find(f"{_W}trPr/{_W}del") is None:
            rows.append(_cells(row, rows[-1] if rows else []))
    rows = [row for row in rows if any(row)]
    if not rows:
        return None
    if len(rows) == 1 and len(rows[0]) == 1:
        return Block("paragraph", rows[0][0])  # a frame drawn around text
    width = max(map(len, rows))
    lines = [f"| {' | '.join([*row, *[''] * (width - len(row))])} |" for row in rows]
    return Block("table", "\n".join([lines[0], f"|{' --- |' * width}", *lines[1:]]))


def _cells(row: Any, above: list[str]) -> list[str]:
    """Return the texts of a row; a cell merged downwards repeats its text, one merged across is followed by blanks."""
    cells: list[str] = []
    for cell in row.iter(f"{_W}tc"):
        if cell.getparent() is not row and cell.getparent().tag not in _WRAPPERS:
            continue
        properties = cell.find(f"{_W}tcPr")
        merge = None if properties is None else properties.find(f"{_W}vMerge")
        span = None if properties is None else properties.find(f"{_W}gridSpan")
        continued = merge is not None and merge.get(f"{_W}val") != "restart"
        if continued and len(cells) < len(above):
            text = above[len(cells)]
        else:
            text = " ".join(_text(cell).split()).replace("|", "\\|")
        cells.append(text)
        cells.extend([""] * (int(span.get(f"{_W}val")) - 1 if span is not None else 0))
    return cells


def _with_plain_headings(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    levels = mark_headings([block.text if block.kind == "paragraph" else "" for block in blocks])
    return tuple(
        Block("heading", block.text, level) if level else block for block, level in zip(blocks, levels, strict=True)
    )
