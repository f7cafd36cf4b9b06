"""Headings of a paged document: by its outline, else by fonts and numbering."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from preprocessing.headings import display_width, mark_headings
from preprocessing.page_lines import Line, body_size

_LARGER = 1.12
_MOST_WIDTH = 60
_MOST_LINES = 3
_MOST_SHARE = 0.2
"""Share of the lines that headings are at most; above it sizes and weights mean something else."""
_FEW = 3
_ENDS = tuple("。；;，,：:.!！?？、")


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
    if line.size >= _LARGER * size and not line.text.endswith(_ENDS[:4]):
        return round(line.size), line.is_bold
    is_phrase = display_width(line.text) <= _MOST_WIDTH and not line.text.endswith(_ENDS)
    return (round(size), True) if line.is_bold and line.size >= size and is_phrase else None


def _is_broken(lines: Sequence[Line]) -> bool:
    """Say whether the lines are one heading, each but the last too long for the next word."""
    longest = max(display_width(line.text) for line in lines)
    return len(lines) > 1 and longest > _MOST_WIDTH // 2 and not any(char.isdigit() for char in lines[1].text[:2])
