"""Cut a passage into what can be quoted: sentences, list items, and table rows with their header."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from preprocessing.sentences import sentences

_QUESTION = re.compile(r"[？?][*”’」』）)\s]*$")
_RULE_ROW = re.compile(r"\s*\|?[\s:|-]+\|?\s*")
_LIST_ITEM = re.compile(r"\s*(?:[-*+•]|\d+[.)、])\s+")
_LIST_MARK = re.compile(
    r"\s*(?:[-*+•·]\s|\d+[.)、．）]\s*|[(（](?:[一二三四五六七八九十]+|\d{1,2}|[a-z])[)）]|[一二三四五六七八九十]+、|[①-⑳])"
)
"""How a list item begins, also where a document has it as a line of text."""
_LEADS_IN = re.compile(r"[：:][*_]*$")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_MOST_ITEMS = 12
_ENDED = re.compile(r"[。！？；：….!?;:][*_”’」』）)\]\"']*$")
_WIDE = re.compile(r"[\u2e80-\u9fff\uff00-\uffef]")
_WRAPPED_WIDTH = 40
"""Columns from which a line that ends in the middle of a sentence was wrapped, and is no heading."""


@dataclass(frozen=True, slots=True)
class Unit:
    """The least that can be quoted: a sentence, a list item, or a table row."""

    text: str
    """As it stands in the text, wrapped lines put together."""
    header: str = ""
    """Header of the table that the row stands in."""
    lead: str = ""
    """The sentence that leads in the list it is an item of, such as `不予报销的有：`."""

    @property
    def whole(self) -> str:
        """Return header, lead-in and text."""
        return "\n".join(part for part in (self.header, self.lead, self.text) if part)


def split_units(text: str) -> list[Unit]:
    """Return the units of a passage in order; a question, as in a list of frequent ones, stays with its answer.

    A block of code is one unit.
    """
    units: list[Unit] = []
    header = lead = ""
    for line in _unwrapped(text):
        if line.startswith("|"):
            if not _RULE_ROW.fullmatch(line):
                units += [Unit(line, header)] if header else []
                header = header or line
            continue
        header = ""
        if not _LIST_MARK.match(line):
            lead = ""
        whole = [line] if _LIST_ITEM.match(line) or _FENCE.match(line) else _with_answers(line)
        units += [Unit(sentence, lead=lead) for sentence in whole]
        if _LEADS_IN.search(line):
            lead = whole[-1]
    return units


def quotation(unit: Unit) -> str:
    """Return the unit as it is quoted; a row is nothing without its header, and an item without what leads it in."""
    if not unit.header:
        return f"{unit.lead}\n{unit.text}" if unit.lead else unit.text
    rule = "|" + " --- |" * (unit.header.count("|") - 1)
    return f"{unit.header}\n{rule}\n{unit.text}"


def list_around(units: Sequence[Unit], unit: Unit) -> list[Unit]:
    """Return the list that the unit is an item of or leads in, with what leads it in; else the unit alone.

    A list of more than 12 items is cut around the unit.
    """
    at = units.index(unit)
    lead = unit.lead or (unit.text if _LEADS_IN.search(unit.text) else "")
    if not lead:
        return _items_around(units, at)
    end = start = at if unit.lead else at + 1
    while start > 0 and units[start - 1].lead == lead:
        start -= 1
    while end < len(units) and units[end].lead == lead:
        end += 1
    start = max(start, min(at - _MOST_ITEMS // 2, end - _MOST_ITEMS))
    items = units[start : min(end, start + _MOST_ITEMS)]
    return [Unit(lead), *items] if items else [unit]


def _items_around(units: Sequence[Unit], at: int) -> list[Unit]:
    """Return the items of a list that stands under a heading and is not led in."""
    start, end = at, at + 1
    if not _LIST_MARK.match(units[at].text):
        return [units[at]]
    while start > 0 and end - start < _MOST_ITEMS and _LIST_MARK.match(units[start - 1].text):
        start -= 1
    while end < len(units) and end - start < _MOST_ITEMS and _LIST_MARK.match(units[end].text):
        end += 1
    return list(units[start:end])


def _unwrapped(text: str) -> Iterator[str]:
    """Yield the lines as they were before they were wrapped at a width; a block of code is one."""
    held, block = "", list[str]()
    for line in text.splitlines():
        if block or _FENCE.match(line):
            block.append(line.rstrip())
            if len(block) > 1 and line.strip().startswith(block[0].strip()[:3]):
                if held:
                    yield held
                yield "\n".join(block)
                held, block = "", []
            continue
        stripped = line.strip()
        if held and stripped and _goes_on(held, line):
            held += ("" if _WIDE.match(held[-1]) and _WIDE.match(stripped) else " ") + stripped
            continue
        if held:
            yield held
        held = stripped
    if held:
        yield held
    # A passage may end in the middle of its code.
    if block:
        yield "\n".join(block)


def _goes_on(held: str, line: str) -> bool:
    """Say whether the line goes on with what is held: the rest of its sentence, or of its list item."""
    if held.startswith("|") or line.lstrip().startswith("|") or _LIST_ITEM.match(line):
        return False
    if _LIST_ITEM.match(held) and line[0].isspace():
        return True
    return not _ENDED.search(held) and _columns(held) >= _WRAPPED_WIDTH


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def _with_answers(line: str) -> list[str]:
    found: list[str] = []
    for sentence in sentences(line):
        if found and _QUESTION.search(found[-1]):
            found[-1] += sentence
        else:
            found.append(sentence)
    return [stripped for sentence in found if (stripped := sentence.strip())]
