"""HTML elements become blocks, in the order of the page: paragraphs, lists, tables, code."""

import re
from collections.abc import Iterator
from typing import Any

from preprocessing.document import Block
from preprocessing.tables import table_block

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LANGUAGE = re.compile(r"(?:language|lang|highlight-source|brush:)[-\s]*([\w+#-]+)")
_MARKER = "- "
_INDENT = "  "
_MOST_SPAN = 1000
_ROW_PARENTS = ("tr", "thead", "tbody", "tfoot")
_LAYOUT = ("h1", "h2", "h3", "h4", "h5", "h6", "table", "form", "pre")
BLOCKS = frozenset(
    "p div section article main header footer aside blockquote figure figcaption address details summary fieldset "
    "legend form center body html table caption thead tbody tfoot tr td th ul ol li dl dt dd pre h1 h2 h3 h4 h5 h6 "
    "hr hgroup search menu".split()
)
_POWER = re.compile(r"^[-+−]?\d+$")


def html_blocks(root: Any) -> Iterator[Block]:
    """Yield the blocks of an element; text between block elements is a paragraph."""
    if root.tag == "pre":
        yield from _code(root)
    elif root.tag in _HEADINGS:
        if text := " ".join(inline_text(root).split()):
            yield Block("heading", text, _HEADINGS[root.tag])
    elif root.tag in ("ul", "ol", "menu"):
        if text := "\n".join(items_of(root, 0)):
            yield Block("list", text)
        yield from _blocks_in_items(root)
    elif root.tag == "dl":
        if text := "\n".join(terms_of(root)):
            yield Block("list", text)
    elif root.tag == "table" and not is_layout(root):
        yield from table_blocks(root)
    else:
        yield from _flow(root)


def _flow(root: Any) -> Iterator[Block]:
    """Yield paragraphs of inline text and the blocks between them."""
    pending: list[str] = [root.text or ""]

    def paragraph() -> Iterator[Block]:
        text = lines("".join(pending))
        pending.clear()
        if text:
            yield Block("paragraph", text)

    for child in root:
        if _holds_blocks(child):
            yield from paragraph()
            yield from html_blocks(child)
        else:
            pending.append(inline(child))
        pending.append(child.tail or "")
    yield from paragraph()


def _holds_blocks(element: Any) -> bool:
    return element.tag in BLOCKS or any(descendant.tag in BLOCKS for descendant in element.iterdescendants())


def _blocks_in_items(parent: Any) -> Iterator[Block]:
    for element in nested(parent, ("table", "pre")):
        yield from html_blocks(element)


def _code(root: Any) -> Iterator[Block]:
    for line_break in root.iter("br"):
        line_break.tail = f"\n{line_break.tail or ''}"
    text = root.text_content().strip("\n").rstrip()
    named = (_LANGUAGE.search(element.get("class") or "") for element in root.iter())
    language = next((found[1] for found in named if found), "")
    fence = "````" if "```" in text else "```"
    if text.strip():
        yield Block("code", f"{fence}{language}\n{text}\n{fence}")


def items_of(parent: Any, depth: int) -> Iterator[str]:
    """Yield the items of a list and of the lists in it, with markers and indentation."""
    number = int(parent.get("start")) if (parent.get("start") or "").lstrip("-").isdigit() else 1
    for child in parent:
        if child.tag in ("ul", "ol", "menu"):
            yield from items_of(child, depth + 1)
        elif child.tag == "li":
            marker = f"{number}. " if parent.tag == "ol" else _MARKER
            number += 1
            text = _own_text(child)
            if text:
                continued = f"\n{_INDENT * depth}{' ' * len(marker)}"
                yield f"{_INDENT * depth}{marker}{text.replace(chr(10), continued)}"
            for inner in nested(child, ("ul", "ol", "menu")):
                yield from items_of(inner, depth + bool(text))


def _own_text(item: Any) -> str:
    """Return the text of an item without the lists, tables and code in it."""
    parts = [spaces(item.text)]
    for child in item:
        if child.tag not in ("ul", "ol", "menu", "table", "pre"):
            inner = _own_text(child) if next(nested(child, ("ul", "ol", "table", "pre")), None) is not None else ""
            parts.append(f"\n{inner}\n" if inner else inline(child))
        parts.append(spaces(child.tail))
    return lines("".join(parts))


def nested(element: Any, tags: tuple[str, ...]) -> Iterator[Any]:
    """Yield the outermost descendants with one of the tags."""
    for child in element:
        if child.tag in tags:
            yield child
        else:
            yield from nested(child, tags)


def terms_of(root: Any) -> Iterator[str]:
    """Yield the terms of a definition list with their definitions."""
    term = ""
    for child in nested(root, ("dt", "dd")):
        text = inline_text(child).replace("\n", " ")
        if child.tag == "dt":
            if term:
                yield f"{_MARKER}{term}"
            term = text
        elif text:
            yield f"{_MARKER}{term}: {text}" if term else f"{_MARKER}{text}"
            term = ""
    if term:
        yield f"{_MARKER}{term}"


def is_layout(table: Any) -> bool:
    """Say whether the table only places parts of the page: it has one column, or holds headings and says no header."""
    if table.get("role") in ("presentation", "none"):
        return True
    has_header = table.find("caption") is not None or table.find("thead") is not None
    has_header = has_header or any(cell.tag == "th" for row in _rows(table) for cell in _cells(row))
    if not has_header and any(table.find(f".//{tag}") is not None for tag in _LAYOUT):
        return True
    return all(sum(_span(cell, "colspan") for cell in _cells(row)) <= 1 for row in _rows(table))


def table_blocks(table: Any) -> Iterator[Block]:
    """Yield the caption and the table."""
    caption = table.find("caption")
    if caption is not None and (text := " ".join(inline_text(caption).split())):
        yield Block("paragraph", text)
    rows = _rows(table)
    header_rows = _header_rows(rows)
    block = table_block(_spread(rows, header_rows), header_rows=header_rows)
    if block is not None:
        yield block


def _rows(table: Any) -> list[Any]:
    parts = [[child] if child.tag == "tr" else child.iterchildren("tr") for child in table if child.tag in _ROW_PARENTS]
    return [row for part in parts for row in part]


def _cells(row: Any) -> list[Any]:
    return list(row.iterchildren("td", "th"))


def _header_rows(rows: list[Any]) -> int:
    """Return how many rows at the top are header: those of `thead`, else of nothing but `th`; at least one."""
    count = 0
    for row in rows:
        cells = _cells(row)
        if row.getparent().tag == "thead" or (cells and all(cell.tag == "th" for cell in cells)):
            count += 1
        else:
            break
    return min(count, len(rows) - 1) if count > 1 else 1


def _span(cell: Any, name: str) -> int:
    value = cell.get(name) or "1"
    return min(int(value), _MOST_SPAN) if value.isdigit() and int(value) else 1


def _spread(rows: list[Any], header_rows: int) -> list[list[str]]:
    """Return the texts by row and column: said again downwards, and across in the header, else once."""
    grid: dict[tuple[int, int], str] = {}
    for number, row in enumerate(rows):
        column = 0
        for cell in _cells(row):
            while (number, column) in grid:
                column += 1
            text = inline_text(cell)
            for below in range(min(_span(cell, "rowspan"), len(rows) - number)):
                for beside in range(_span(cell, "colspan")):
                    is_said = beside == 0 or number < header_rows
                    grid[number + below, column + beside] = text if is_said else ""
            column += _span(cell, "colspan")
    width = max((column for _, column in grid), default=-1) + 1
    return [[grid.get((number, column), "") for column in range(width)] for number in range(len(rows))]


def inline_text(element: Any) -> str:
    """Return the text of an element, a line for each block in it and each line break."""
    return lines("".join([spaces(element.text), *(inline(child) + spaces(child.tail) for child in element)]))


def inline(element: Any) -> str:
    """Return the text of an element inside a line, with its line breaks and those of blocks in it."""
    if not isinstance(element.tag, str):
        return ""
    if element.tag == "br":
        return "\n"
    if element.tag == "img":
        return str(element.get("alt") or "")
    if element.tag in ("annotation", "annotation-xml"):
        return ""  # a formula said again for programs
    inner = "".join([spaces(element.text), *(inline(child) + spaces(child.tail) for child in element)])
    if element.tag == "sup" and _POWER.match(inner.strip()):
        return f"^{inner.strip()}"  # 10⁶ must not read as 106
    if element.tag in BLOCKS:
        return f"\n{inner}\n"
    return f"{inner} " if element.tag in ("td", "th") else inner


def spaces(text: str | None) -> str:
    """Return the text with each run of white space as one blank."""
    return re.sub(r"[ \t\r\n\f]+", " ", text or "")


def lines(text: str) -> str:
    """Return the lines that are not blank, trimmed."""
    return "\n".join(filter(None, (" ".join(line.split()) for line in text.split("\n"))))
