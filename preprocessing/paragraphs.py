"""Lines of pages become blocks: broken sentences joined, also across a page break."""

import re
from collections.abc import Sequence

from preprocessing.document import Block
from preprocessing.headings import display_width, mark_headings
from preprocessing.pages import Line, full_width

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
    """Return headings and paragraphs; when no line is marked as a heading, numbered headings are found."""
    if not any(line.level for line in lines):
        levels = mark_headings([line.text for line in lines])
        lines = [Line(line.text, line.page, level) for line, level in zip(lines, levels, strict=True)]
    full = full_width(lines)
    words = frozenset(re.findall(r"[A-Za-z]+(?:-[A-Za-z]+)*", " ".join(line.text for line in lines)))
    blocks: list[Block] = []
    open_paragraph: list[str] = []
    page = 1
    previous: Line | None = None

    def close() -> None:
        if open_paragraph:
            blocks.append(Block("paragraph", "\n".join(open_paragraph), page=page))
            open_paragraph.clear()

    for line in lines:
        if not line.text or line.level:
            close()
            previous = None
            if line.level:
                blocks.append(Block("heading", line.text, line.level, line.page))
            continue
        if previous is not None and _goes_on(previous, line, full):
            open_paragraph[-1] = _joined(open_paragraph[-1], line.text, words)
        else:
            # Short lines that follow each other, such as rows of a table, stay lines of one paragraph.
            if previous is None or line.page != previous.page or not _is_row(previous.text, line.text, full):
                close()
            if not open_paragraph:
                page = line.page
            open_paragraph.append(line.text)
        previous = line
    close()
    return blocks


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
