"""HTML elements become blocks, in the order of the page."""

import re
from collections.abc import Iterator
from typing import Any

from preprocessing.document import Block
from preprocessing.load.html_lists import items_of, nested, terms_of
from preprocessing.load.html_table import is_layout, table_blocks
from preprocessing.load.html_text import BLOCKS, inline, inline_text, lines

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LANGUAGE = re.compile(r"(?:language|lang|highlight-source|brush:)[-\s]*([\w+#-]+)")


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
        yield from table_blocks(root, inline_text)
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
