"""How a text is written: its language, the codes in it, and forms of writing that say the same.

Codes name one thing by letters and digits and must be copied exactly, such as ERR_4032 or GB/T 7714-2015.
"""

import re
import unicodedata
from decimal import Decimal
from functools import cache
from typing import Literal

from opencc import OpenCC

Language = Literal["zh", "en"]

_HAN_RUN = re.compile(r"[\u3400-\u9fff]+")
_LATIN_WORDS = re.compile(r"[A-Za-z]+(?:[ ][A-Za-z]+)*")
_LATIN_TO_ONE_HAN = 4
"""Latin words that one Chinese character outweighs: a Chinese question about a long English message stays Chinese, and
an English page that quotes a Chinese name stays English."""

_UNIT = r"\d[\d.]*(?:[-/]?[A-Za-z]+)+[23]?(?![A-Za-z\d])"
"""A number with its unit, such as 5GB, 30km/h or 2nd, names nothing."""
_JOINT = r"[-_./:#]"

CODE = re.compile(
    r"(?<![A-Za-z\d])(?:"
    # The letters of a standard stand apart from its number: GB/T 7714-2015, ISO 9001; only when they are capitals.
    rf"[A-Z]{{2,}}(?:/[A-Z]+)*\x20\d+(?:[-_.:–—]\d+)*"
    # ERR_4032, PPR-9087, v2.3.1, 0x1F: letters and digits, in either order, joined by single signs.
    rf"|(?!{_UNIT})(?=[A-Za-z]+(?:{_JOINT}[A-Za-z]+)*{_JOINT}?\d|\d+(?:{_JOINT}\d+)*{_JOINT}?[A-Za-z])"
    rf"[A-Za-z\d]+(?:{_JOINT}[A-Za-z\d]+)*"
    r")(?![A-Za-z\d])"
)
"""Finds the codes of a text in NFKC, in whatever language it stands."""

_LETTER_AND_DIGIT = re.compile(r"(?=.*\d).*[^\W\d]")

_DIGITS = {"零": 0, "〇": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_BIG_UNITS = {"亿": 100_000_000, "万": 10_000}

NUMERAL = "".join([*_DIGITS, *_UNITS, *_BIG_UNITS])
"""Every character that a Chinese numeral may hold."""

_ORDINAL = re.compile(rf"第([{NUMERAL}]+)(?=[条章节款项编号])")


def language_of(text: str) -> Language:
    """Return `zh` when Chinese characters make out a fair share of the text, else `en`, also for one of no words."""
    characters = sum(map(len, runs_of(text, "zh")))
    latin_words = sum(len(run.split()) for run in runs_of(text, "en"))
    return "zh" if characters and _LATIN_TO_ONE_HAN * characters > latin_words else "en"


def runs_of(text: str, language: Language) -> list[str]:
    """Return the unbroken runs of Chinese characters, or of Latin words, as they stand in the text."""
    return (_HAN_RUN if language == "zh" else _LATIN_WORDS).findall(text)


def codes_in(text: str) -> list[str]:
    """Return the codes of a text in NFKC, in their order, as they are written."""
    return [match[0] for match in CODE.finditer(text)]


def is_code(token: str) -> bool:
    """Say whether a token of the search is a code: it has a digit and a letter, as err_4032 and 第46条 have."""
    return _LETTER_AND_DIGIT.match(token) is not None


def folded(text: str) -> str:
    """Return the text for comparing: compatibility forms as plain ones (NFKC), without case."""
    return unicodedata.normalize("NFKC", text).casefold()


def simplified(text: str) -> str:
    """Return the text with Traditional characters and phrases as Simplified ones, all else unchanged."""
    if not _HAN_RUN.search(text):
        return text
    # Half a surrogate pair has no UTF-8 form.
    return str(_converter().convert(text.encode("utf-8", "replace").decode("utf-8")))


def fold_ordinals(text: str) -> str:
    """Write the Chinese numerals of articles, chapters and paragraphs with Arabic digits."""
    return _ORDINAL.sub(lambda match: f"第{to_int(match[1])}", text)


def to_int(numeral: str) -> int:
    """Return the value of a Chinese numeral such as 四十六, 一千二百, 两万 or 二〇二四.

    Raises ValueError for text that holds anything else.
    """
    if not numeral or set(numeral) - set(NUMERAL):
        raise ValueError(f"not a Chinese numeral: {numeral!r}")
    if not set(numeral) & (_UNITS.keys() | _BIG_UNITS.keys()):
        return int("".join(str(_DIGITS[character]) for character in numeral))  # a year: 二〇二四
    return _value(numeral)


def to_decimal(numeral: str) -> Decimal:
    """Return the value of a Chinese numeral with or without decimals, such as 三点五 or 一百.

    Raises ValueError for text that holds anything else.
    """
    whole, point, decimals = numeral.partition("点")
    if not point:
        return Decimal(to_int(whole))
    if not decimals or set(decimals) - _DIGITS.keys():
        raise ValueError(f"not a Chinese numeral: {numeral!r}")
    return Decimal(f"{to_int(whole)}.{''.join(str(_DIGITS[character]) for character in decimals)}")


def _value(numeral: str) -> int:
    for unit, worth in _BIG_UNITS.items():
        if unit in numeral:
            # The last 亿 or 万 divides: 一亿二千万 adds its sides, in 一万亿 the right one is empty.
            above, _, below = numeral.rpartition(unit)
            return (_value(above) if above else 1) * worth + _value(below)
    total = digit = 0
    for character in numeral:
        if character in _DIGITS:
            digit = _DIGITS[character]
        else:
            total += (digit or 1) * _UNITS[character]
            digit = 0
    return total + digit


@cache
def _converter() -> OpenCC:
    # Made once, when it is needed: it reads its dictionaries.
    return OpenCC("t2s")
