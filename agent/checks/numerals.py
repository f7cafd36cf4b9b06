"""Write a text in the one way in which its facts are looked for: half width, number words as digits, no labels."""

import re
import unicodedata
from decimal import Decimal

from agent.checks.citations import without_labels
from agent.checks.units import CLAUSE_WORDS, MEASURE_WORDS, MULTIPLIER, UNIT
from retrieval.text.writing import NUMERAL, fold_ordinals, simplified, to_decimal

WORD, ONE = "\ue000", "\ue001"
"""Marks before a number that was a word in English, and before 一 or "one"; no text uses them."""

LIST_NUMBER = re.compile(
    rf"^[ \t>*_#|+•·-]*(?:\d{{1,3}}(?:[)、]|\.(?=\s|[^\d\s]))|\(\d{{1,3}}\)"
    rf"|\d+(?:\.\d+)+\.?(?=\s+(?!{UNIT}|%|{MULTIPLIER}))"
    r"|[一二三四五六七八九十]+、|\([一二三四五六七八九十]+\)|第[一二三四五六七八九十]+[,:、]|(?:step|步骤)\s*\d+\s*[:.、]?)",
    re.IGNORECASE | re.MULTILINE,
)
"""At the start of a line in half width: it numbers the line and states nothing."""
EMPHASIS = re.compile(r"\*\*|__(?=\W|\d)|`|~~")
"""Marks of Markdown that may stand in the middle of a word."""
_CIRCLED = re.compile("[\u2460-\u249b\u24ea-\u24ff\u2776-\u2793]")
_NO_LETTER = re.compile(r"[\s_/·•-]+|(?<!\d)\W+|\W+(?!\d)")
_SIGNS = str.maketrans({"×": " x ", "\u2044": "/", "−": "-", "–": "-", "—": "-", "○": "〇"})

_UP_TO_TWENTY = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
).split()
_VALUES = {word: value for value, word in enumerate(_UP_TO_TWENTY, start=1)} | {
    word: 10 * value for value, word in enumerate("thirty forty fifty sixty seventy eighty ninety".split(), start=3)
}
_ENGLISH = re.compile(
    rf"\b(?:{'|'.join(_VALUES)})(?:[\s-](?:{'|'.join(_UP_TO_TWENTY[:9])}))?\b", re.IGNORECASE | re.ASCII
)
_CHINESE = re.compile(
    rf"(?<![几数好多])(?<!上(?=[百千万亿]))(?![百千万亿])[{NUMERAL}]{{1,21}}(?:点[零〇一二三四五六七八九]{{1,20}}(?![十刻分]))?"
)
_COUNTS_OR_NAMES = re.compile(
    rf"\s*个?半?(?:{UNIT}|月|点[钟整半前后之上下开关到至以]|时[整前后]|[{CLAUSE_WORDS}成季]|世纪|分之|%|‰)|\s*[{MEASURE_WORDS}]"
)
_BEFORE_A_NUMBER = ("分之", "第", "下午", "上午", "晚上", "早上", "凌晨", "中午", "月", "年", "点", "周", "星期")


def normal(text: str) -> str:
    """Return the text without labels, list numbers and emphasis, in half width, with number words as digits."""
    text = simplified(half_width(_CIRCLED.sub(" ", without_labels(text))))
    text = LIST_NUMBER.sub(" ", text.translate(_SIGNS))
    return words_to_digits(EMPHASIS.sub("", text))


def folded(text: str) -> str:
    """Return the letters and digits of a text in the one form in which words are looked for.

    Case, width, script, blanks, punctuation and the numerals of articles do not matter; the point of 2.5 stays.
    """
    return _NO_LETTER.sub("", fold_ordinals(simplified(half_width(text)).casefold()))


def half_width(text: str) -> str:
    """Return the text with full-width and compatibility forms as plain characters."""
    return unicodedata.normalize("NFKC", text)


def words_to_digits(text: str) -> str:
    """Return the text with its number words as digits, marked with WORD or ONE where they may be vague.

    A Chinese numeral stays where it may be part of a word, as in 十分重要 or 一般.
    """
    return _CHINESE.sub(_chinese_to_digits, _ENGLISH.sub(_english_to_digits, text))


def numerals_to_digits(text: str) -> str:
    """Return the text with every Chinese numeral as digits."""
    return _CHINESE.sub(lambda match: plain(to_decimal(match[0])), text)


def plain(value: Decimal) -> str:
    """Return a number without exponent and without zeros at the end of its fraction."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


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
