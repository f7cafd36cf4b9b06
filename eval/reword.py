"""Say the same in other words by rules, so that a right answer is no mere copy of its passage."""

import random
import re
from collections.abc import Callable
from functools import cache
from typing import Any

from retrieval.numerals import NUMERAL, to_int
from retrieval.text_language import TextLanguage

Rule = tuple[re.Pattern[str], Callable[[re.Match[str]], str]]
"""What is reworded, and how; the same text where it cannot be."""

RULES = 3
"""Most rules that are applied to one sentence."""
RARE = 0.25
"""Share of the sentences on which a rule that fits all of them is tried."""
_DIGITS = "零一二三四五六七八九"
_MONTHS = "January February March April May June July August September October November December".split()
_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_MEASURE = r"(?=\s?(?:年(?!代|[度前])|个|天|日|月|元|人|次|岁|条|章|歲|個|名|座|部|场|場|周|小时|小時|米|公里))"
_NO_MONTH = r"(?<=[a-z] )(?<!ber )(?<!ary )(?<!uly )(?<!May )(?<!une )(?<!pril )(?<!rch )(?<!ust )"
_WHOLE = r"(?<![\d.,\-/A-Za-z第])"


def chinese_numeral(value: int) -> str:
    """Return a number below 100,000,000 in Chinese characters, such as 一千二百 or 三万零五."""
    if value >= 10_000:
        above, below = divmod(value, 10_000)
        joint = "零" if 0 < below < 1000 else ""
        return f"{chinese_numeral(above)}万{joint}{chinese_numeral(below) if below else ''}"
    text, gap = "", False
    for worth, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, value = divmod(value, worth)
        if digit:
            text += ("零" if gap and text else "") + _DIGITS[digit] + name
        gap = not digit
    return re.sub(r"^一十", "十", text) or "零"


def reword(sentence: str, language: TextLanguage, dice: random.Random) -> str:
    """Return the sentence with at most RULES rules applied; as it is where none of them fits."""
    rules = [
        *(_CHINESE if language == "zh" else _ENGLISH),
        *(rule for rule in _ALWAYS[language] if dice.random() < RARE),
    ]
    dice.shuffle(rules)
    applied = 0
    for pattern, write in rules:
        said = pattern.sub(write, sentence)
        applied += said != sentence
        sentence = said
        if applied == RULES:
            break
    return sentence


def traditional(text: str) -> str:
    """Return the text in Traditional characters."""
    return str(_to_traditional().convert(text))


@cache
def _to_traditional() -> Any:
    # Its dictionaries take a moment to load.
    from opencc import OpenCC

    return OpenCC("s2t")


def _full_width(match: re.Match[str]) -> str:
    return "".join(chr(ord(character) + 0xFEE0) for character in match[0])


def _iso(match: re.Match[str]) -> str:
    return f"{match[1]}-{int(match[2]):02}-{int(match[3]):02}"


def _to_numeral(match: re.Match[str]) -> str:
    return chinese_numeral(int(match[0]))


def _to_digits(match: re.Match[str]) -> str:
    return str(to_int(match[0]))


def _hundredths(match: re.Match[str]) -> str:
    return f"百分之{chinese_numeral(int(match[1]))}"


def _day_first(match: re.Match[str]) -> str:
    return f"{match[2]} {match[1]} {match[3]}"


def _iso_of_english(match: re.Match[str]) -> str:
    return f"{match[3]}-{_MONTHS.index(match[1]) + 1:02}-{int(match[2]):02}"


def _rule(pattern: str, write: Callable[[re.Match[str]], str] | str) -> Rule:
    return re.compile(pattern), (lambda match: match.expand(write)) if isinstance(write, str) else write


_ENGLISH_DATE = rf"\b({'|'.join(_MONTHS)}) (\d{{1,2}}), (\d{{4}})\b"
_CHINESE: tuple[Rule, ...] = (
    _rule(r"(?<![A-Za-z_/])(?:[0-9]+[.,:-]?)+(?![A-Za-z_/])", _full_width),
    _rule(r"(\d{4})\s?年\s?(\d{1,2})\s?月\s?(\d{1,2})\s?日", _iso),
    _rule(rf"{_WHOLE}[1-9]\d{{0,3}}(?![\d.,-]){_MEASURE}(?!\s?年)", _to_numeral),
    _rule(r"(?<=第)\d{1,3}(?=[条條章])", _to_numeral),
    _rule(
        rf"(?<![{NUMERAL}数几十百千万亿])[二三四五六七八九]?十?[二三四五六七八九](?=[个個年天岁歲条條](?!半|代))",
        _to_digits,
    ),
    _rule(r"(?<![\d.])(\d{1,2})\s?[%％]", _hundredths),
    _rule(r"(?<![\d.,万])(\d[\d,.]*)\s?元(?![素旦件/])", r"￥\1"),
    _rule(r"应当|應當", "应"),
    _rule(r"必须|必須", "须"),
    _rule(r"(?<=[，。；])但(?!是)", "但是"),
    _rule(r"(?<!为了|根据)按照", "依照"),
)
_ENGLISH: tuple[Rule, ...] = (
    _rule(_ENGLISH_DATE, _day_first),
    _rule(_ENGLISH_DATE, _iso_of_english),
    _rule(
        rf"{_NO_MONTH}\b(?:[2-9]|1[0-2])(?= [a-z]{{3,}})",
        lambda match: _WORDS[int(match[0])],
    ),
    _rule(
        r"\b(?:two|three|four|five|six|seven|eight|nine|ten)\b(?= [a-z]{3,})", lambda match: str(_WORDS.index(match[0]))
    ),
    _rule(r"(?<=\d)\s?%", " percent"),
    _rule(r"(?<=\d) per ?cent\b", "%"),
    _rule(r"(?<=\d),(?=\d{3}\b)", ""),
    _rule(rf"{_WHOLE}\b(\d{{2,3}})(\d{{3}})(?![\d.,A-Za-z])", r"\1,\2"),
    _rule(r"\b(do|does|did|is|are|was|were|has|have|had) not\b", r"\1n't"),
    _rule(r"\b(do|does|did|is|are|was|were|has|have|had)n't\b", r"\1 not"),
    _rule(r"\bcannot\b", "can not"),
    _rule(r"\bmust\b(?! not)", "has to"),
    _rule(r"\bprior to\b", "before"),
    _rule(r"\bsuch as\b", "like"),
)
_ALWAYS: dict[TextLanguage, tuple[Rule, ...]] = {
    "zh": (_rule(r"\A", "根据文档，"), _rule(r"(?s)\A.*\Z", lambda match: traditional(match[0]))),
    "en": (_rule(r"\A", "According to the document, "),),
}
"""Rules that fit every sentence, so they are tried for some only."""
