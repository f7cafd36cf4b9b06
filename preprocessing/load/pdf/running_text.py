"""Pages become running text: watermarks, headers, footers and page numbers out, tables going on over a page."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from preprocessing.load.headings import display_width

_EDGE_LINES = 3
_SHOWN = "\ufffc"
"""Stands for a table among the texts of a page."""
_LETTER = re.compile(r"[^\W\d_]")
_DIGITS = re.compile(r"\d+")
_CONTENTS_LINE = re.compile(r"(?:[.．·…]\s?){5,}\s*[\dIVXLivxl]*\s*$")
_NAMED_PAGE = re.compile(
    r"^\W*(?:page|seite|p\.?)\s*\d+(?:\s*(?:of|/|von)\s*\d+)?\W*$|^\W*第\s*[\d一二三四五六七八九十百]+\s*页(?:\W*共\s*[\d一二三四五六七八九十百]+\s*页)?\W*$"
    r"|^\W*\d+\s*(?:of|/)\s*\d+\s*页?\W*$",
    re.IGNORECASE,
)
_BARE_NUMBER = re.compile(r"^\W*(\d{1,4})(?:\s*/\s*\d{1,4})?\W*$")
_SAME_PLACE = 3.0
_MARK = re.compile(
    r"机密|秘密|绝密|内部|保密|草稿|草案|样本|样张|副本|作废|仅供|confidential|draft|sample|copy|watermark|void|internal",
    re.IGNORECASE,
)
_LEAST_PAGES = 3
_SHARE_SLANTED, _SHARE_LARGE = 0.5, 0.8
_LARGE = 1.8
_MOST_CHARACTERS = 40


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page; `level` is above 0 for a heading."""

    text: str
    page: int
    level: int = 0
    size: float = 0.0
    """Font size in points; 0 where it is not known."""
    is_bold: bool = False
    is_slanted: bool = False
    """Whether it is set at an angle, as watermarks are."""
    table: tuple[tuple[str, ...], ...] = ()
    """Rows of a ruled table, which stands in place of its lines."""
    columns: tuple[float, ...] = ()
    """Where the columns of the table begin and end, in points."""


def body_lines(pages: Sequence[Sequence[Line]], labels: Sequence[str] = ()) -> list[Line]:
    """Return the lines of the pages, blank ones too, without running headers and footers, page numbers and contents.

    `labels` are the page numbers that the file itself gives, such as `iv` or `A-3`.
    """
    pages = [[replace(line, text=" ".join(line.text.split())) for line in page] for page in pages]
    pages = [
        [line for line in page if line not in marks] for page, marks in zip(pages, watermarks_of(pages), strict=True)
    ]
    split = [[_SHOWN if line.table else line.text for line in page] for page in pages]
    running = _running_lines(split)
    offset = _number_offset(split)
    lines: list[Line] = []
    for number, (page, texts) in enumerate(zip(pages, split, strict=True), start=1):
        edges = set(_edges(texts))
        label = labels[number - 1] if number <= len(labels) and not labels[number - 1].isdigit() else None
        kept = [
            line
            for index, (line, text) in enumerate(zip(page, texts, strict=True))
            if not (
                index in edges
                and (_key(text) in running or _is_page_number(text, number, offset) or text.strip("-–— ") == label)
            )
            and not _CONTENTS_LINE.search(text)
        ]
        lines += _trimmed(kept)
    return lines


def _trimmed(page: list[Line]) -> list[Line]:
    filled = [index for index, line in enumerate(page) if line.text or line.table]
    return page[filled[0] : filled[-1] + 1] if filled else []


def _edges(page: Sequence[str]) -> list[int]:
    filled = [index for index, line in enumerate(page) if line]
    return [*filled[:_EDGE_LINES], *filled[-_EDGE_LINES:]]


def _key(line: str) -> str:
    """Return the line with its numbers masked, so that `Page 3` and `Page 4` are the same line."""
    return _DIGITS.sub("#", line)


def _running_lines(pages: Sequence[Sequence[str]]) -> set[str]:
    """Return the keys of lines that stand at the edge of most pages and hardly anywhere else."""
    at_edge: Counter[str] = Counter()
    inside: Counter[str] = Counter()
    for page in pages:
        edges = set(_edges(page))
        at_edge.update({_key(page[index]) for index in edges})
        inside.update({_key(line) for index, line in enumerate(page) if line and index not in edges})
    filled = sum(1 for page in pages if any(page))
    least = max(3, round(0.4 * filled))
    running = {
        key for key, count in at_edge.items() if count >= least and inside[key] <= count // 4 and _LETTER.search(key)
    }
    only_running = sum(1 for page in pages if any(page) and all(_key(line) in running for line in page if line))
    return set() if only_running > filled // 2 else running  # pages that are nothing else say something


def _number_offset(pages: Sequence[Sequence[str]]) -> int | None:
    """Return printed minus counted page number, when the bare numbers at the edges of two or more pages agree on it."""
    offsets: Counter[int] = Counter()
    for number, page in enumerate(pages, start=1):
        offsets.update({printed - number for index in set(_edges(page)) if (printed := _bare_number(page[index]))})
    if not offsets:
        return None
    offset, count = offsets.most_common(1)[0]
    return offset if count >= 2 and count >= len([page for page in pages if any(page)]) / 3 else None


def _bare_number(line: str) -> int | None:
    found = _BARE_NUMBER.match(line)
    return int(found[1]) if found else None


def _is_page_number(line: str, page: int, offset: int | None) -> bool:
    if _NAMED_PAGE.match(line):
        return True
    printed = _bare_number(line)
    return printed is not None and offset is not None and printed - page == offset


def with_tables_continued(lines: Sequence[Line]) -> list[Line]:
    """Put the header of a table in front of its rows on the next page, where nothing but the break parts them."""
    continued: list[Line] = []
    above: Line | None = None
    for line in lines:
        if above is not None and line.table and _goes_on(above, line):
            header = above.table[0]
            rows = line.table if line.table[0] == header else (header, *line.table)
            line = replace(line, table=rows)
        continued.append(line)
        if line.text or line.table:
            above = line
    return continued


def _goes_on(above: Line, below: Line) -> bool:
    return (
        bool(above.table)
        and below.page == above.page + 1
        and len(above.columns) == len(below.columns)
        and all(abs(one - other) <= _SAME_PLACE for one, other in zip(above.columns, below.columns, strict=True))
    )


def watermarks_of(pages: Sequence[Sequence[Line]]) -> list[set[Line]]:
    """Return for each page the lines that are watermarks.

    These are slanted lines that half of the pages repeat, or that say what watermarks say; and lines far larger than
    the text that nearly all of three or more pages repeat.
    """
    size = body_size([line for page in pages for line in page])
    on_pages = Counter(text for page in pages for text in {line.text for line in page})
    filled = sum(1 for page in pages if any(line.text for line in page))

    def is_watermark(line: Line) -> bool:
        if not line.text or len(line.text) > _MOST_CHARACTERS:
            return False
        share = on_pages[line.text] / filled
        if line.is_slanted:
            return _MARK.search(line.text) is not None or (filled > 1 and share >= _SHARE_SLANTED)
        return line.size >= _LARGE * size > 0 and on_pages[line.text] >= _LEAST_PAGES and share >= _SHARE_LARGE

    return [{line for line in page if is_watermark(line)} for page in pages]


def full_width(lines: Sequence[Line]) -> int:
    """Return the width in columns that full lines reach."""
    widths = sorted(display_width(line.text) for line in lines if line.text)
    return max(widths[int(0.95 * (len(widths) - 1))], 20) if widths else 20


def body_size(lines: Sequence[Line]) -> float:
    """Return the font size that most of the text has, 0 where none is known."""
    characters: dict[float, int] = {}
    for line in lines:
        characters[line.size] = characters.get(line.size, 0) + len(line.text)
    return max(characters, key=lambda size: characters[size], default=0.0)
