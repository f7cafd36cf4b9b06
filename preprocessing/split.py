"""Sections become pieces: by paragraph, sentence, clause; tables between rows, code between lines."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from preprocessing.document import Block, BlockKind, Section
from preprocessing.sentences import cut, sentences
from preprocessing.tables import table_parts

_WORD = re.compile(r"\w")
_LEAD_IN = re.compile(r"[:：]\s*[*_]*\s*$|^\s*(?:[*_]*)(?:表|图|Table|Figure)\s*[-\d一二三四五六七八九十.]+")
_MOST_LEAD_IN = 120
_FENCE = re.compile(r"`{3,}|~{3,}")
_ITEM = re.compile(r"^(\s*)(?:[-*+•·●▪]|\d{1,3}[.)、）]|[（(][\d一二三四五六七八九十]+[）)])\s*")


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of one section, short enough to encode."""

    text: str
    page: int | None
    section: tuple[str, ...]
    kind: BlockKind
    """Kind of the block that the piece begins with or, for the rows of a table and the lines of code, consists of."""
    page_end: int | None = None
    """Page the piece ends on, where it is another than `page`."""
    join: str = "\n\n"
    """What stands between the piece before and this one in the document: less than a blank line in one paragraph."""


@dataclass(frozen=True, slots=True)
class _Unit:
    """Smallest text that is kept whole, with what joins it to the unit before."""

    text: str
    join: str
    page: int | None
    page_end: int | None
    kind: BlockKind


def split(section: Section, max_chars: int = 400) -> list[Piece]:
    """Cut a section into pieces of at most `max_chars` characters, without overlap, none of them blank.

    A piece stays on one page, unless a sentence does not.
    """
    pieces: list[Piece] = []
    pending: list[_Unit] = []
    gap = ""  # blanks behind the last piece in the document

    def close(units: Sequence[_Unit]) -> None:
        nonlocal gap
        text = "".join(unit.join + unit.text if index else unit.text for index, unit in enumerate(units)).strip("\n")
        if _WORD.search(text):
            page, page_end = units[0].page, units[-1].page_end
            page_end = page_end if page_end != page else None
            join = units[0].join or gap
            pieces.append(Piece(text.rstrip(), page, section.path, units[0].kind, page_end, join))
            last = units[-1].text
            gap = last[len(last.rstrip()) :]

    for block in section.blocks:
        for unit in _units(block, max_chars, lead_in=_lead_in_length(pending)):
            if pending and not _fits(pending, unit, max_chars):
                kept, carried = _hold_lead_in(pending, unit, max_chars)
                close(kept)
                pending = carried
            pending.append(unit)
    if pending:
        close(pending)
    return pieces


def _fits(pending: Sequence[_Unit], unit: _Unit, max_chars: int) -> bool:
    before = pending[-1]
    if not before.page == before.page_end == unit.page:  # what goes on over a page break ends its piece
        return False
    whole_kinds = {"table", "code"}
    if before.kind in whole_kinds or (unit.kind in whole_kinds and not (len(pending) == 1 and _leads_in(before))):
        return False
    return _length([*pending, unit]) <= max_chars


def _hold_lead_in(pending: list[_Unit], unit: _Unit, max_chars: int) -> tuple[list[_Unit], list[_Unit]]:
    """Part a last line that leads into the next unit from the piece before, so that they stay together."""
    last = pending[-1]
    on_one_page = last.page == last.page_end == unit.page
    if len(pending) > 1 and _leads_in(last) and on_one_page and _length([last, unit]) <= max_chars:
        return pending[:-1], [last]
    return pending, []


def _length(units: Sequence[_Unit]) -> int:
    return sum(len(unit.text) + len(unit.join) for unit in units) - len(units[0].join)


def _leads_in(unit: _Unit) -> bool:
    return unit.kind == "paragraph" and len(unit.text) <= _MOST_LEAD_IN and bool(_LEAD_IN.search(unit.text))


def _lead_in_length(pending: Sequence[_Unit]) -> int:
    return len(pending[-1].text) + 2 if pending and _leads_in(pending[-1]) else 0


def _units(block: Block, max_chars: int, lead_in: int) -> Iterator[_Unit]:
    if block.kind == "table":
        room = max_chars - lead_in if lead_in < max_chars // 2 else max_chars
        texts, join = table_parts(block.text, max_chars, first=room), "\n\n"
    elif block.kind == "code":
        texts, join = code_parts(block.text, max_chars), "\n"
    elif block.kind == "list":
        texts, join = items_of(block.text), "\n"
    else:
        texts, join = [block.text], "\n"
    for index, text in enumerate(texts):
        unit = _Unit(text, join if index else "\n\n", block.page, block.page, block.kind)
        if block.kind in ("table", "code") or (len(text) <= max_chars and not block.page_breaks):
            yield unit
            continue
        begin = 0
        for position, part in enumerate(_on_pages(text, max_chars, block.page_breaks)):
            page, page_end = _page_at(block, begin), _page_at(block, begin + len(part.rstrip()) - 1)
            yield _Unit(part, unit.join if position == 0 else "", page, page_end, block.kind)
            begin += len(part)


def _on_pages(text: str, max_chars: int, breaks: Sequence[int]) -> list[str]:
    """Cut a text to size, and after the sentence that a page break falls into, so that no page is named wrongly."""
    parts: list[str] = []
    begin = position = 0
    for sentence in sentences(text) if breaks else []:
        position += len(sentence)
        if any(begin < place <= position for place in breaks):
            inside = [place for place in breaks if position - len(sentence) < place < position]
            cuts = [position - len(sentence), position] if inside else [position]
            for end in cuts:
                parts += cut(text[begin:end], max_chars) if end > begin else []
                begin = end
    return [*parts, *(cut(text[begin:], max_chars) if begin < len(text) else [])]


def _page_at(block: Block, position: int) -> int | None:
    return None if block.page is None else block.page + sum(1 for place in block.page_breaks if place <= position)


def join_code(above: str, below: str) -> str:
    """Return two parts of one code block as one, without the fences between them."""
    above_text, _, closing = above.rpartition("\n")
    opening, _, below_text = below.partition("\n")
    if not _FENCE.fullmatch(closing) or not opening.startswith(closing):
        return f"{above}\n{below}"
    return f"{above_text}\n{below_text}"


def code_parts(text: str, max_chars: int) -> list[str]:
    """Cut fenced code between lines; each part has its own fences."""
    if len(text) <= max_chars:
        return [text]
    opening, *lines, closing = text.split("\n")
    room = max_chars - len(opening) - len(closing) - 2
    if room < 1:
        return cut(text, max_chars)
    parts: list[str] = []
    body: list[str] = []
    for line in (part for whole in lines for part in ([whole] if len(whole) <= room else cut(whole, room))):
        if body and sum(map(len, body)) + len(body) + len(line) > room:
            parts.append("\n".join([opening, *body, closing]))
            body = []
        body.append(line.rstrip("\n"))
    return [*parts, "\n".join([opening, *body, closing])] if any(map(str.strip, body)) else parts


def items_of(text: str) -> list[str]:
    """Return the outermost items of a list, each with what is nested in it."""
    lines = text.split("\n")
    depths = [len(found[1].expandtabs(4)) if (found := _ITEM.match(line)) else None for line in lines]
    outermost = min((depth for depth in depths if depth is not None), default=0)
    items: list[str] = []
    for line, depth in zip(lines, depths, strict=True):
        if items and (depth is None or depth > outermost):
            items[-1] += f"\n{line}"
        else:
            items.append(line)
    return [item for item in items if item.strip()]
