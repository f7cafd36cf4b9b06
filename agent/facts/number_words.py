"""Write the numbers that are words, in English and in Chinese, with digits."""

import re

from agent.facts.fact import plain
from agent.facts.units import CLAUSE_WORDS, MEASURE_WORDS, UNIT
from retrieval.numerals import NUMERAL, to_decimal

WORD, ONE = "\ue000", "\ue001"
"""Marks before a number that was a word in English, and before 一 or "one"; no text uses them."""

_UP_TO_TWENTY = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen"),
    *("fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_VALUES = {word: value for value, word in enumerate(_UP_TO_TWENTY, start=1)} | {
    **{"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
}
_ENGLISH = re.compile(
    rf"\b(?:{'|'.join(_VALUES)})(?:[\s-](?:{'|'.join(_UP_TO_TWENTY[:9])}))?\b", re.IGNORECASE | re.ASCII
)
_CENTURIES = (
    *(
        "first",
        "second",
        "third",
        "fourth",
        "fifth",
        "sixth",
        "seventh",
        "eighth",
        "ninth",
        "tenth",
        "eleventh",
        "twelfth",
    ),
    *("thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth"),
    "twenty-first",
)
_CENTURY = re.compile(rf"\b({'|'.join(reversed(_CENTURIES))})(?=[\s-]centur)", re.IGNORECASE | re.ASCII)
_CHINESE = re.compile(
    rf"(?<![几数好多])(?<!上(?=[百千万亿]))(?![百千万亿])[{NUMERAL}]{{1,21}}(?:点[零〇一二三四五六七八九]{{1,20}}(?![十刻分]))?"
)
_COUNTS_OR_NAMES = re.compile(
    rf"\s*个?半?(?:{UNIT}|月|点[钟整半前后之上下开关到至以]|时[整前后]|[{CLAUSE_WORDS}成季]|世纪|分之|%|‰)|\s*[{MEASURE_WORDS}]"
)
_BEFORE_A_NUMBER = (
    *("分之", "第", "下午", "上午", "晚上", "早上", "凌晨", "中午"),
    *("月", "年", "点", "周", "星期"),
)


def words_to_digits(text: str) -> str:
    """Return the text with its number words as digits, marked with WORD or ONE where they may be vague.

    A Chinese numeral stays where it may be part of a word, as in 十分重要 or 一般.
    """
    text = _CENTURY.sub(lambda match: f"{_CENTURIES.index(match[1].lower()) + 1}th", text)
    return _CHINESE.sub(_chinese_to_digits, _ENGLISH.sub(_english_to_digits, text))


def numerals_to_digits(text: str) -> str:
    """Return the text with every Chinese numeral as digits."""
    return _CHINESE.sub(lambda match: plain(to_decimal(match[0])), text)


def _english_to_digits(match: re.Match[str]) -> str:
    first, *rest = re.split(r"[\s-]+", match[0].lower())
    if rest and _VALUES[first] < 20:
        return " ".join(f"{ONE if word == 'one' else WORD}{_VALUES[word]}" for word in (first, *rest))
    value = _VALUES[first] + sum(_VALUES[word] for word in rest)
    return f"{ONE if value == 1 else WORD}{value}"


def _chinese_to_digits(match: re.Match[str]) -> str:
    numeral, before, after = match[0], match.string[: match.start()], match.string[match.end() :]
    very = numeral == "十" and re.match("分(?!钟|之)", after)
    measured = _COUNTS_OR_NAMES.match(after) and not very
    clear = len(numeral) > 2 or (len(numeral) == 2 and set(numeral) & set("十百千万亿"))
    if after.startswith("次性") or not (measured or before.endswith(_BEFORE_A_NUMBER) or clear):
        return numeral
    vague = numeral == "一" and not before.endswith(("第", "月", "分之"))
    return (ONE if vague else "") + plain(to_decimal(numeral))
