"""Lines of pages become blocks: headings by outline, fonts or numbering; sentences joined, also across a page."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from preprocessing.document import Block
from preprocessing.load.headings import display_width, mark_headings
from preprocessing.load.pdf.running_text import Line, body_size, full_width
from preprocessing.tables import table_block

_STARTS = re.compile(
    r"[•●▪◦·■◆★➢✓–—*-]\s|\d{1,3}[.)、）．]|[（(][\d一二三四五六七八九十a-z]{1,3}[）)]|[一二三四五六七八九十]{1,3}、|第\s*[\d一二三四五六七八九十百千零]+\s*[条章节款编]|[【\[]"
    r"|(?:说明|正例|反例|注|备注|Note|Table|Figure|表|图)\s*\d*\s*[:：]|//"
)
_ENDS = re.compile(r"[。！？；：.!?:;…][”’」』）)】》\"']*$")
_CODE = re.compile(r"^(?://|/?\*|#)|[;{}]$")
_CJK = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u303f]")
_HYPHEN_END = re.compile(r"([A-Za-z]+)[-\u00ad\u2010]$")
_WORD_START = re.compile(r"[a-z]+")
# Prefixes that keep their hyphen when the line happens to break there.
_KEPT_PREFIXES = frozenset(
    ["co", "cross", "ex", "half", "high", "long", "low", "mid", "multi", "non", "post", "pre", "self", "semi", "well"]
)
_OPEN_LINE, _CLOSED_LINE = 0.6, 0.88
"""Share of the full width below which a line ends its paragraph: without and with a sentence mark at its end."""
_LARGER = 1.12
_MOST_WIDTH = 60
_MOST_LINES = 3
_MOST_SHARE = 0.2
"""Share of the lines that headings are at most; above it sizes and weights mean something else."""
_FEW = 3
_HEADING_ENDS = tuple("。；;，,：:.!！?？、")


def blocks_of(lines: Sequence[Line]) -> list[Block]:
    """Return headings, tables and paragraphs, which may go on over a page break."""
    full = full_width(lines)
    words = frozenset(re.findall(r"[A-Za-z]+(?:-[A-Za-z]+)*", " ".join(line.text for line in lines)))
    blocks: list[Block] = []
    paragraph = _Paragraph()
    previous: Line | None = None
    for line in lines:
        if line.text and not line.level and not line.table:
            if previous is not None and _goes_on(previous, line, full):
                paragraph.go_on(line, words)
            else:
                # Short lines that follow each other, such as rows of a table, stay lines of one paragraph.
                if previous is None or line.page != previous.page or not _is_row(previous.text, line.text, full):
                    blocks += paragraph.close()
                paragraph.add(line)
            previous = line
            continue
        blocks += paragraph.close()
        previous = None
        if line.level:
            blocks.append(Block("heading", line.text, line.level, line.page))
        elif line.table:
            blocks += filter(None, [table_block(line.table, line.page)])
    return [*blocks, *paragraph.close()]


class _Paragraph:
    """The lines of the paragraph that is being read."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._breaks: list[int] = []
        self._pages: list[int] = []

    def add(self, line: Line) -> None:
        self._lines.append(line.text)
        self._note_page(line)

    def go_on(self, line: Line, words: frozenset[str]) -> None:
        self._lines[-1] = _joined(self._lines[-1], line.text, words)
        self._note_page(line)

    def _note_page(self, line: Line) -> None:
        if self._pages and line.page != self._pages[-1]:
            self._breaks.append(len("\n".join(self._lines)) - len(line.text))
        self._pages.append(line.page)

    def close(self) -> list[Block]:
        text, page, breaks = "\n".join(self._lines), self._pages[0] if self._pages else None, tuple(self._breaks)
        self._lines, self._breaks, self._pages = [], [], []
        return [Block("paragraph", text, page=page, page_breaks=breaks)] if text else []


def _goes_on(above: Line, below: Line, full: int) -> bool:
    previous, line = above.text, below.text
    if below.page - above.page > 1:
        return False
    if _HYPHEN_END.search(previous) and _WORD_START.match(line):
        return True
    if _STARTS.match(line) or _CODE.search(previous):
        return False
    share = display_width(previous) / full
    if _ENDS.search(previous):
        return share >= _CLOSED_LINE and above.page == below.page
    if _WORD_START.match(line) and (previous[-1].isalpha() or previous[-1] in ",，"):
        return share >= _OPEN_LINE / 2
    return share >= _OPEN_LINE + 0.15


def _is_row(previous: str, line: str, full: int) -> bool:
    if _CODE.search(previous):
        return True
    return max(display_width(previous), display_width(line)) < _OPEN_LINE * full and not _ENDS.search(previous)


def _joined(previous: str, line: str, words: frozenset[str]) -> str:
    broken = _HYPHEN_END.search(previous)
    start = _WORD_START.match(line)
    if broken and start:
        joined, hyphenated = broken[1] + start[0], f"{broken[1]}-{start[0]}"
        keeps = joined not in words and (hyphenated in words or broken[1].lower() in _KEPT_PREFIXES)
        return f"{previous[:-1]}-{line}" if keeps else f"{previous[:-1]}{line}"
    no_blank = _CJK.match(previous[-1]) or _CJK.match(line[0])
    return f"{previous}{line}" if no_blank else f"{previous} {line}"


def with_outline(lines: Sequence[Line], outline: Sequence[tuple[int, str, int]]) -> list[Line]:
    """Mark the lines that the outline names: entries are level (from 1), title and page."""
    wanted = {(page, _squeezed(title)): min(level, 6) for level, title, page in outline if _squeezed(title)}
    marked: list[Line] = []
    for line in lines:
        level = wanted.pop((line.page, _squeezed(line.text)), 0)
        marked.append(replace(line, level=level) if level else line)
    return marked


def _squeezed(text: str) -> str:
    return "".join(text.split()).casefold()


def with_headings(lines: Sequence[Line], outline: Sequence[tuple[int, str, int]]) -> list[Line]:
    """Mark headings by the outline; where it names no line, by fonts, and by numbering where fonts say little."""
    marked = with_outline(lines, outline)
    if any(line.level for line in marked):
        return marked
    marked = with_fonts(lines)
    levels = {line.level for line in marked if line.level}
    if sum(1 for line in marked if line.level) >= _FEW:
        return marked
    numbered = mark_headings(["|" if line.table else line.text for line in marked])
    lowest = 1 if levels else 0  # a title alone in its size stands above what is numbered
    return [
        replace(line, level=min(level + lowest, 6)) if level and not line.level else line
        for line, level in zip(marked, numbered, strict=True)
    ]


def with_fonts(lines: Sequence[Line]) -> list[Line]:
    """Mark short lines that are larger than the text or bold; a heading over several lines becomes one line."""
    size = body_size(lines)
    styles = [_style(line, size) for line in lines]
    count = sum(1 for style in styles if style)
    if not count or count > _MOST_SHARE * sum(1 for line in lines if line.text) + 1:
        return list(lines)
    ranks = {style: rank for rank, style in enumerate(sorted({style for style in styles if style}, reverse=True), 1)}
    marked: list[Line] = []
    for (style, page), group in groupby(zip(styles, lines, strict=True), key=lambda pair: (pair[0], pair[1].page)):
        members = [line for _, line in group]
        if not style or len(members) > _MOST_LINES:
            marked += members
            continue
        level = min(ranks[style], 6)
        if page and _is_broken(members):
            marked.append(replace(members[0], text=" ".join(line.text for line in members), level=level))
        else:
            marked += [replace(line, level=level) for line in members]
    return marked


def _style(line: Line, size: float) -> tuple[float, bool] | None:
    """Return size and weight of a line that could be a heading by them."""
    if not line.text or line.table or line.is_slanted or size <= 0 or display_width(line.text) > 2 * _MOST_WIDTH:
        return None
    if line.size >= _LARGER * size and not line.text.endswith(_HEADING_ENDS[:4]):
        return round(line.size), line.is_bold
    is_phrase = display_width(line.text) <= _MOST_WIDTH and not line.text.endswith(_HEADING_ENDS)
    return (round(size), True) if line.is_bold and line.size >= size and is_phrase else None


def _is_broken(lines: Sequence[Line]) -> bool:
    """Say whether the lines are one heading, each but the last too long for the next word."""
    longest = max(display_width(line.text) for line in lines)
    return len(lines) > 1 and longest > _MOST_WIDTH // 2 and not any(char.isdigit() for char in lines[1].text[:2])
