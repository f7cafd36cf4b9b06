"""Headings of Word documents whose authors set them bold instead of giving them a style."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from preprocessing.document import Block
from preprocessing.load.headings import display_width, mark_headings
from preprocessing.load.word.text import TEXT_BOX, W, is_on

CANDIDATE = 100
"""Candidates carry this level until the document is read: only then is it known that no style says what is one."""
_MOST_WIDTH = 60
_NO_PHRASE = re.compile(r"[。！？；!?;]|[，,、.…]\s*$|[:：]|\.\s+[a-z]")
_SIZE = 21
"""Half-points of text whose size is not said."""


def candidate(element: Any, style: Any, text: str) -> Block | None:
    """Return the paragraph as a heading to be decided on, when it is a short phrase wholly in bold."""
    if display_width(text) > _MOST_WIDTH or _NO_PHRASE.search(text) or element.find(f".//{TEXT_BOX}") is not None:
        return None
    runs = [run for run in element.iter(f"{W}r") if any((part.text or "").strip() for part in run.iter(f"{W}t"))]
    is_bold_style = style is not None and bool(style.font.bold)
    if not runs or not all(_is_bold(run, is_bold_style) for run in runs):
        return None
    size = max(_size(run) for run in runs)
    return Block("heading", " ".join(text.split()), CANDIDATE + size)


def _is_bold(run: Any, otherwise: bool) -> bool:
    switch = run.find(f"{W}rPr/{W}b")
    return otherwise if switch is None else is_on(switch)


def _size(run: Any) -> int:
    size = run.find(f"{W}rPr/{W}sz")
    value = None if size is None else size.get(f"{W}val")
    return int(value) if value and value.isdigit() else _SIZE


def decided(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Return the blocks with headings as styles mark them; without any, by numbering and by what is bold.

    A bold title becomes a heading of level 1, the only one of that level; one with a style stays what it is.
    """
    styled = [block for block in blocks if block.kind == "heading" and block.level < CANDIDATE]
    is_titled = len(styled) == 1 and styled[0] is blocks[0] and styled[0].level == 1
    if styled and not is_titled:
        return tuple(_as_text(block) for block in blocks)
    numbered = mark_headings([block.text if _may_be_heading(block) else "" for block in blocks])
    bold = _bold_headings(blocks)
    sizes = sorted({block.level for block, is_bold in zip(blocks, bold, strict=True) if is_bold}, reverse=True)
    title = int(is_titled or _has_title(blocks, bold))
    lowest = max(numbered, default=0) + title
    made: list[Block] = []
    for index, (block, level, is_bold) in enumerate(zip(blocks, numbered, bold, strict=True)):
        if title and index == 0:
            made.append(replace(block, level=1))
        elif level:
            made.append(Block("heading", block.text, min(level + title, 6)))
        elif is_bold:
            made.append(replace(block, level=min(lowest + 1 + sizes.index(block.level), 6)))
        else:
            made.append(_as_text(block))
    return tuple(made)


def _may_be_heading(block: Block) -> bool:
    return block.kind == "paragraph" or block.level >= CANDIDATE


def _as_text(block: Block) -> Block:
    return Block("paragraph", block.text) if block.level >= CANDIDATE else block


def _bold_headings(blocks: Sequence[Block]) -> list[bool]:
    """Say of each block whether it is bold with text below it; where most is bold, nothing is a heading by it."""
    is_bold = [block.level >= CANDIDATE for block in blocks]
    if 2 * sum(is_bold) > len(blocks):
        return [False] * len(blocks)
    return [bold and not below for bold, below in zip(is_bold, [*is_bold, True][1:], strict=True)]


def _has_title(blocks: Sequence[Block], bold: Sequence[bool]) -> bool:
    """Say whether the first block is bold and stands above other headings, or is larger than they are."""
    others = [block.level for block, is_bold in zip(blocks[1:], bold[1:], strict=True) if is_bold]
    if not others or blocks[0].level < CANDIDATE:
        return False
    return blocks[1].level >= CANDIDATE or blocks[0].level > max(others)
