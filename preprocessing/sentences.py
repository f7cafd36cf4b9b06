"""Where text may be cut: sentence, line, clause, blank, and anywhere as the last resort."""

import re

_CLOSING = "”’」』）)】》〉\\]\"'*_"
_ABBREVIATION = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|Sr|Jr|St|No|Nos|Fig|Figs|Eq|Sec|Ch|Vol|pp|p|vs|etc|al|cf|ca|approx|Inc|Ltd|Co|Corp|Dept|"
    r"Jan|Feb|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|e\.g|i\.e|a\.m|p\.m|U\.S|U\.K)|"
    r"(?:^|[\s(])[A-Z]|(?:^|\n)\s*\d{1,3})\.$",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(rf"(?:[。！？；…]+|[.!?]+(?=[{_CLOSING}]*(?:\s|$)))[{_CLOSING}]*\s*")
_LINE_END = re.compile(r"\n+")
_CLAUSE_END = re.compile(rf"(?:[，、：]+|[,;:](?=\s))[{_CLOSING}]*\s*")
_BLANK = re.compile(r"\s+")
_LEVELS = (_SENTENCE_END, _LINE_END, _CLAUSE_END, _BLANK)
_MARKS = frozenset("。！？；，、：…,.!?;:”’」』）)】》〉]")
_MOST_MARKS = 8


def sentences(text: str) -> list[str]:
    """Return the sentences with their marks, closing quotes and the blanks behind them; joined they are the text."""
    return _parts(text, _SENTENCE_END)


def cut(text: str, max_chars: int) -> list[str]:
    """Return parts of at most `max_chars` characters, cut at the best place there is; joined they are the text.

    Blanks at the end of a part do not count. No part begins with a sentence mark, unless marks fill a whole part.
    """
    return _pack(_cut(text, max_chars, 0), max_chars)


def _cut(text: str, max_chars: int, level: int) -> list[str]:
    if len(text.rstrip()) <= max_chars:
        return [text]
    if level == len(_LEVELS):
        return _hard_cut(text, max_chars)
    return [part for longer in _parts(text, _LEVELS[level]) for part in _cut(longer, max_chars, level + 1)]


def _parts(text: str, end: re.Pattern[str]) -> list[str]:
    parts: list[str] = []
    begin = 0
    for found in end.finditer(text):
        upto_mark = text[max(begin, found.start() - 12) : found.start() + 1]
        is_abbreviation = end is _SENTENCE_END and _ABBREVIATION.search(upto_mark)
        if not is_abbreviation and found.end() > begin:
            parts.append(text[begin : found.end()])
            begin = found.end()
    return [*parts, text[begin:]] if begin < len(text) else parts


def _pack(parts: list[str], max_chars: int) -> list[str]:
    packed: list[str] = []
    for part in parts:
        if packed and len(packed[-1]) + len(part.rstrip()) <= max_chars:
            packed[-1] += part
        else:
            packed.append(part)
    return packed


def _hard_cut(text: str, max_chars: int) -> list[str]:
    parts: list[str] = []
    while len(text.rstrip()) > max_chars:
        end = max_chars
        while end > max(1, max_chars - _MOST_MARKS) and text[end] in _MARKS:
            end -= 1  # the mark goes with the character before it
        parts.append(text[:end])
        text = text[end:]
    return [*parts, text]
