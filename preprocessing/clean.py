"""Remove what is no content from blocks: invisible characters, runs of blanks, rules. Never a fact."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from preprocessing.document import Block

# Soft hyphen, zero-width space and joiners, word joiner, byte-order mark, direction marks, control characters.
_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\x00-\x08\x0b\x0e-\x1f\x7f-\x9f]")
_BLANK = re.compile(r"[ \t\u00a0\u2002-\u200a\u3000]{2,}")
_BLANK_END = re.compile(r"[ \t\u00a0\u3000]+$", re.MULTILINE)
_RULE = re.compile(r"^[ \t]*([-*_=~—─━═＝－·.])(?:[ \t]*\1){2,}[ \t]*$", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n{3,}")
_WORD = re.compile(r"\w")
_BULLET = re.compile(r"^([ \t]*)[\uf06c-\uf0d8]\s*", re.MULTILINE)
"""Bullets of symbol fonts at the beginning of a line."""
_PRIVATE = re.compile(r"[\ue000-\uf8ff\U000f0000-\U0010fffd]")
_WIDE_SIGNS = {code: code - 0xFEE0 for code in [*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B)]}
"""Full-width digits and letters; full-width punctuation is right in Chinese."""
_WIDE_JOINT = re.compile(r"(?<=[0-9A-Za-z])[－．／＿＋＆＠＃](?=[0-9A-Za-z])")
"""Full-width signs inside a number or a code, of which half would else be full-width."""
_TEMPLATE = re.compile(r"(?P<code>`[^`\n]*`)|\{%(?:(?!\{%).)*?%\}|\{\{[<%](?:(?!\{\{[<%]).)*?[>%]\}\}")
"""Tags of site generators: Liquid, Jinja and Hugo; those quoted as code stay."""
_TABLE_RULE = re.compile(r"^\|?[\s:|-]*-[\s:|-]*$")


def clean(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks with clean text; blocks without a letter, digit or sign of meaning are left out."""
    cleaned = (_over_pages(block) if block.page_breaks else replace(block, text=_clean_text(block)) for block in blocks)
    return [block for block in cleaned if _says_something(block)]


def _over_pages(block: Block) -> Block:
    """Clean the text of each page by itself, so that the page breaks stay where they are."""
    text, breaks = "", []
    bounds = [0, *block.page_breaks, len(block.text)]
    for begin, end in pairwise(bounds):
        part = block.text[begin:end]
        if text and part:
            text += block.text[begin - 1] if block.text[begin - 1].isspace() else ""
            breaks.append(len(text))
        text += _clean_text(replace(block, text=part))
    return replace(block, text=text, page_breaks=tuple(breaks))


def _clean_text(block: Block) -> str:
    text = _INVISIBLE.sub("", block.text.replace("\u2028", "\n").replace("\u2029", "\n").replace("\x0c", "\n"))
    if block.kind == "code":
        return text
    if block.kind == "table":
        text = _narrow(_PRIVATE.sub("", text))
        return "\n".join(_BLANK.sub(" ", line).strip() for line in text.split("\n") if line.strip())
    text = _narrow(_PRIVATE.sub("", _BULLET.sub(r"\1• ", text)).replace("\u00a0", " "))
    text = _TEMPLATE.sub(lambda tag: tag["code"] or "", text)
    if block.kind != "list":  # the depth of an item is in its indentation
        text = _BLANK.sub(_one_blank, text)
        text = _RULE.sub("", text)
    text = _BLANK_END.sub("", text)
    text = _BLANK_LINES.sub("\n\n", text)
    return text.strip("\n") if block.kind == "list" else text.strip()


def _narrow(text: str) -> str:
    return _WIDE_JOINT.sub(lambda sign: chr(ord(sign[0]) - 0xFEE0), text.translate(_WIDE_SIGNS))


def _one_blank(run: re.Match[str]) -> str:
    return "\u3000" if set(run[0]) == {"\u3000"} else " "


def _says_something(block: Block) -> bool:
    if block.kind == "table":
        rows = [row for row in block.text.split("\n") if not _TABLE_RULE.match(row)]
        return any(row.strip("| \t") and re.search(r"[^|\s\\]", row) for row in rows)
    if block.kind == "code":
        return bool(_WORD.search("\n".join(block.text.split("\n")[1:-1])))
    return bool(_WORD.search(block.text))
