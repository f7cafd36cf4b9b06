"""Write a text in the one way in which the readers look for facts."""

import re
import unicodedata

from agent.citations import without_labels
from agent.facts.number_words import words_to_digits
from agent.facts.units import MULTIPLIER, UNIT

LIST_NUMBER = re.compile(
    rf"^[ \t>*_#|+•·-]*(?:\d{{1,3}}(?:[)、]|\.(?=\s|[^\d\s]))|\(\d{{1,3}}\)"
    rf"|\d+(?:\.\d+)+\.?(?=\s+(?!{UNIT}|%|{MULTIPLIER}))"
    r"|[一二三四五六七八九十]+、|\([一二三四五六七八九十]+\)|第[一二三四五六七八九十]+[,:、]|(?:step|步骤)\s*\d+\s*[:.、]?)",
    re.IGNORECASE | re.MULTILINE,
)
"""At the start of a line in half width: it numbers the line and states nothing."""
_CIRCLED = re.compile("[\u2460-\u249b\u24ea-\u24ff\u2776-\u2793]")
_SIMPLIFIED = str.maketrans(
    "萬億個點兩週鐘時號條項節頁編級歲圓幣噸後餘鎊盧紀○", "万亿个点两周钟时号条项节页编级岁圆币吨后余镑卢纪〇"
)
_SIGNS = str.maketrans("×\u2044−–—", "x/---")
_EMPHASIS = re.compile(r"\*\*|__(?=\W|\d)|`|~~")
_PART_OF_A_YEAR = re.compile(r"\b(?:mid|pre|post|early|late)-(?=\d)", re.IGNORECASE | re.ASCII)
_DECADE = re.compile(r"(?<!\d)([12]\d\d0)\s*年代")
_DECADE_OF_A_CENTURY = re.compile(r"(\d{1,2})\s*世纪\s*(?:的\s*)?(\d0)\s*年代")


def normal(text: str) -> str:
    """Return the text without labels, list numbers and emphasis, in half width, with number words as digits."""
    text = half_width(_CIRCLED.sub(" ", without_labels(text))).translate(_SIMPLIFIED)
    text = LIST_NUMBER.sub(" ", text.translate(_SIGNS))
    text = _PART_OF_A_YEAR.sub(" ", _EMPHASIS.sub("", text))
    return _decades(words_to_digits(text))


def half_width(text: str) -> str:
    """Return the text with full-width and compatibility forms as plain characters."""
    return unicodedata.normalize("NFKC", text)


def _decades(text: str) -> str:
    """Write 1970年代 and 20世纪70年代 as 1970s."""
    text = _DECADE.sub(r"\1s ", text)
    return _DECADE_OF_A_CENTURY.sub(lambda match: f" {int(match[1]) - 1:02}{match[2]}s ", text)
