"""Blocks under headings become sections with their full path."""

import re
from collections.abc import Sequence
from dataclasses import replace

from preprocessing.document import MAX_HEADING_CHARS, Block, Section

_STATEMENT = re.compile(
    r"[:：]\s*\S|[。.!！?？]$|.{40,}"
    # An amount, which is no numbering.
    r"|[^\d.]\d[\d,.]*\s*(?:[%％‰元天日年月周时分秒度万亿千百个次人米吨]|[a-zA-Z]{1,6}\b)"
)


def sections(blocks: Sequence[Block]) -> list[Section]:
    """Group blocks by the headings above them; headings without text below give no section.

    Such a heading is kept as text when it is a statement (`Emergency: 8001`), so that no fact is lost.
    One that is longer than a heading can be is a paragraph that was styled as one, and text.
    A single level-1 heading is the document's title: it is left out above deeper headings.
    """
    blocks = [_as_text(block) if len(block.text) > MAX_HEADING_CHARS else block for block in blocks]
    title = _sole_title(blocks)
    stack: list[Block] = []
    found: list[Section] = []
    body: list[Block] = []

    def close(after: Block | None) -> None:
        is_leaf = stack and (after is None or after.level <= stack[-1].level)
        if not body and is_leaf and _STATEMENT.search(stack[-1].text):
            body.append(_as_text(stack[-1]))
        if body:
            path = [heading for heading in stack if heading is not title] or stack
            found.append(Section(path=tuple(heading.text for heading in path), blocks=tuple(body)))
            body.clear()

    for block in blocks:
        if block.kind == "heading":
            close(block)
            stack = [heading for heading in stack if heading.level < block.level]
            stack.append(block)
        else:
            body.append(block)
    close(None)
    return found


def _as_text(block: Block) -> Block:
    return replace(block, kind="paragraph", level=0) if block.kind == "heading" else block


def _sole_title(blocks: Sequence[Block]) -> Block | None:
    headings = [block for block in blocks if block.kind == "heading"]
    outermost = [heading for heading in headings if heading.level == 1]
    return outermost[0] if len(outermost) == 1 and headings[0] is outermost[0] else None
