"""Lines of pages become blocks: broken sentences joined, also across a page break."""

import re
from collections.abc import Sequence

from preprocessing.document import Block
from preprocessing.grid import table_block
from preprocessing.headings import display_width
from preprocessing.page_lines import Line, full_width

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
