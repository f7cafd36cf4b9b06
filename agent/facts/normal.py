"""Write a text in the one way in which the readers look for facts."""

import re
import unicodedata

from agent.citations import without_labels
from agent.facts.number_words import words_to_digits
from agent.facts.units import MULTIPLIER, UNIT
from retrieval.numerals import fold_ordinals
from retrieval.simplified import simplified

LIST_NUMBER = re.compile(
    rf"^[ \t>*_#|+•·-]*(?:\d{{1,3}}(?:[)、]|\.(?=\s|[^\d\s]))|\(\d{{1,3}}\)"
    rf"|\d+(?:\.\d+)+\.?(?=\s+(?!{UNIT}|%|{MULTIPLIER}))"
    r"|[一二三四五六七八九十]+、|\([一二三四五六七八九十]+\)|第[一二三四五六七八九十]+[,:、]|(?:step|步骤)\s*\d+\s*[:.、]?)",
    re.IGNORECASE | re.MULTILINE,
)
"""At the start of a line in half width: it numbers the line and states nothing."""
_CIRCLED = re.compile("[\u2460-\u249b\u24ea-\u24ff\u2776-\u2793]")
_NO_LETTER = re.compile(r"[\s_/·•-]+|(?<!\d)\W+|\W+(?!\d)")
_SIGNS = str.maketrans({"×": " x ", "\u2044": "/", "−": "-", "–": "-", "—": "-", "○": "〇"})
EMPHASIS = re.compile(r"\*\*|__(?=\W|\d)|`|~~")
"""Marks of Markdown that may stand in the middle of a word."""
_PART_OF_A_YEAR = re.compile(r"\b(?:mid|pre|post|early|late)-(?=\d)", re.IGNORECASE | re.ASCII)
_DECADE = re.compile(r"(?<!\d)([12]\d\d0)\s*年代")
_TENS = re.compile(r"(?<!\d)(\d0)\s*年代")
_DECADES_OF_A_CENTURY = re.compile(r"(\d{1,2})\s*世纪\s*(?:的\s*)?(\d0\s*年代(?:\s*[和与、至到-]\s*\d0\s*年代)*)")
_ONE_OF_THE_CENTURIES = re.compile(r"(?<![\d年月])(\d{1,2})(?=\s*[和与、至到-]\s*\d{1,2}\s*世纪)")


def normal(text: str) -> str:
    """Return the text without labels, list numbers and emphasis, in half width, with number words as digits."""
    text = simplified(half_width(_CIRCLED.sub(" ", without_labels(text))))
    text = LIST_NUMBER.sub(" ", text.translate(_SIGNS))
    text = _PART_OF_A_YEAR.sub(" ", EMPHASIS.sub("", text))
    return _decades(words_to_digits(text))


def folded(text: str) -> str:
    """Return the letters and digits of a text in the one form in which words are looked for.

    Case, width, script, blanks, punctuation and the numerals of articles do not matter; the point of 2.5 stays.
    """
    return _NO_LETTER.sub("", fold_ordinals(simplified(half_width(text)).casefold()))


def half_width(text: str) -> str:
    """Return the text with full-width and compatibility forms as plain characters."""
    return unicodedata.normalize("NFKC", text)


def _decades(text: str) -> str:
    """Write 1970年代 and 20世纪70年代 as 1970s, and both centuries of 16和17世纪 in full."""
    text = _ONE_OF_THE_CENTURIES.sub(r"\1世纪", text)
    text = _DECADE.sub(r"\1s ", text)
    return _DECADES_OF_A_CENTURY.sub(_in_figures, text)


def _in_figures(match: re.Match[str]) -> str:
    return _TENS.sub(lambda tens: f" {int(match[1]) - 1:02}{tens[1]}s ", match[2])
