"""Headings in text without markup, told by their numbering."""

import re
from collections.abc import Sequence

_NUMBER = r"[0-9〇零一二三四五六七八九十百]+"
_SPACE = r"[ \t\u3000]*"
# Rank, pattern, and whether the numbering is sure by itself. A weaker one may as well be an item of a list.
_STYLES: tuple[tuple[int, re.Pattern[str], bool], ...] = (
    (1, re.compile(rf"第{_SPACE}{_NUMBER}{_SPACE}(?:编|篇|部分|卷)(?=[ \t\u3000:：]|$)"), True),
    (1, re.compile(r"(?:PART|Part)\s+(?:[IVXLC]+|\d+)\b"), True),
    (2, re.compile(rf"第{_SPACE}{_NUMBER}{_SPACE}章"), True),
    (2, re.compile(r"(?:CHAPTER|Chapter|ARTICLE|SECTION|Section|APPENDIX|Appendix)\s+(?:[IVXLC]+|\d+|[A-Z])\b"), True),
    (2, re.compile(rf"(?:附[件录则]){_SPACE}{_NUMBER}?(?=[ \t\u3000:：]|$)"), True),
    (3, re.compile(rf"第{_SPACE}{_NUMBER}{_SPACE}节"), True),
    (3, re.compile(r"[一二三四五六七八九十]{1,3}、"), False),
    (4, re.compile(r"[（(][一二三四五六七八九十]{1,3}[）)]"), False),
    (4, re.compile(r"\d{1,2}[.、．](?=[ \t\u3000]*[^\d\s.])"), False),
    (4, re.compile(r"\d{1,2}[ \t\u3000]+(?=[A-Z\u4e00-\u9fff])"), False),
    (5, re.compile(r"\d{1,2}\.\d{1,2}\.?(?=[ \t\u3000]*[^\d\s.%％元万亿千百倍米天年月日])"), False),
    (6, re.compile(r"\d{1,2}(?:\.\d{1,2}){2,4}\.?(?=[ \t\u3000]*[^\d\s.])"), False),
)
# A heading is a phrase: it has no sentence in it and does not lead into what follows.
_SENTENCE = re.compile(r"[。！？；!?;]|[，,：:、.…]\s*$|，.*，|\.\s+[a-z]")
_MOST_WIDTH = 60


def display_width(text: str) -> int:
    """Return columns: two for each Chinese or full-width character."""
    return sum(2 if char >= "\u1100" and not "\u2000" <= char <= "\u206f" else 1 for char in text)


def mark_headings(lines: Sequence[str]) -> list[int]:
    """Return for each line its level as a heading, 1 to 6, or 0.

    Weak numbering (`一、`, `（一）`, `1.`, `1.2`) counts only when text of another kind follows, since lines that
    number on are a list. Articles (`第三条`) are content.
    """
    styles = [_style(line) for line in lines]
    following = _following(lines)
    levels = []
    for style, after in zip(styles, following, strict=True):
        if style is None:
            levels.append(0)
            continue
        rank, _, sure = _STYLES[style]
        has_text_below = after is not None and styles[after] != style
        levels.append(rank if has_text_below or (sure and after is not None) else 0)
    return levels


def _style(line: str) -> int | None:
    """Return which numbering the line has, if it could be a heading."""
    line = line.strip()
    for number, (_, pattern, _) in enumerate(_STYLES):
        found = pattern.match(line)
        if found:
            rest = line[found.end() :]
            sure = _STYLES[number][2]
            is_phrase = display_width(line) <= _MOST_WIDTH and not _SENTENCE.search(rest)
            return number if is_phrase and (rest.strip() or sure) else None
    return None


def _following(lines: Sequence[str]) -> list[int | None]:
    """Return for each line the index of the next line that is not blank."""
    following: list[int | None] = [None] * len(lines)
    after: int | None = None
    for index in range(len(lines) - 1, -1, -1):
        following[index] = after
        if lines[index].strip():
            after = index
    return following
