"""Remove what is no content from blocks: invisible characters, runs of blanks, rules. Never a fact."""

import re
from collections.abc import Sequence
from dataclasses import replace

from preprocessing.document import Block

# Soft hyphen, zero-width space and joiners, word joiner, byte-order mark, direction marks, control characters.
_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\x00-\x08\x0b\x0e-\x1f\x7f-\x9f]")
_BLANK = re.compile(r"[ \t\u00a0\u2002-\u200a\u3000]{2,}")
_BLANK_END = re.compile(r"[ \t\u00a0\u3000]+$", re.MULTILINE)
_RULE = re.compile(r"^[ \t]*([-*_=~—─━═＝－·.])(?:[ \t]*\1){2,}[ \t]*$", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n{3,}")
_WORD = re.compile(r"\w")
_TABLE_RULE = re.compile(r"^\|?[\s:|-]*-[\s:|-]*$")


def clean(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks with clean text; blocks without a letter, digit or sign of meaning are left out."""
    cleaned = (replace(block, text=_clean_text(block)) for block in blocks)
    return [block for block in cleaned if _says_something(block)]


def _clean_text(block: Block) -> str:
    text = _INVISIBLE.sub("", block.text.replace("\u2028", "\n").replace("\u2029", "\n").replace("\x0c", "\n"))
    if block.kind == "code":
        return text
    if block.kind == "table":
        return "\n".join(_BLANK.sub(" ", line).strip() for line in text.split("\n") if line.strip())
    text = text.replace("\u00a0", " ")
    if block.kind != "list":  # the depth of an item is in its indentation
        text = _BLANK.sub(_one_blank, text)
        text = _RULE.sub("", text)
    text = _BLANK_END.sub("", text)
    text = _BLANK_LINES.sub("\n\n", text)
    return text.strip("\n") if block.kind == "list" else text.strip()


def _one_blank(run: re.Match[str]) -> str:
    return "\u3000" if set(run[0]) == {"\u3000"} else " "


def _says_something(block: Block) -> bool:
    if block.kind == "table":
        rows = [row for row in block.text.split("\n") if not _TABLE_RULE.match(row)]
        return any(row.strip("| \t") and re.search(r"[^|\s\\]", row) for row in rows)
    if block.kind == "code":
        return bool(_WORD.search("\n".join(block.text.split("\n")[1:-1])))
    return bool(_WORD.search(block.text))
