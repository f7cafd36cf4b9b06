"""Change one fact of a sentence: a value, a unit, a negation, a name. Written apart from the code that reads facts."""

import random
import re
from collections.abc import Iterator

from eval.reword import chinese_numeral
from retrieval.numerals import to_int
from retrieval.text_language import TextLanguage

Change = tuple[int, int, str]
"""Begin and end of what is replaced, and by what."""

_FIGURE = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_NUMERAL = r"[一二三四五六七八九十百千两]{1,7}"
_BEFORE = r"(?<![\dA-Za-z.,_/:#-])(?<!第)(?<!第 )"
_AFTER = r"(?![\d_/:]|[,.-]\d|-?[A-Za-z])"
_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"

_AMOUNT_UNIT = (
    r"[百千]?[万亿萬億]?(?:元|美元|英镑|英鎊|欧元|歐元|%|％)|million\b|billion\b|percent|per cent|dollars|yuan|pounds"
)
_COUNTED = r"(?:个|個|名|天|人|次|座|部|场|場|岁|歲|位|小时|小時|所|家|条|條|项|項)(?![体體别別国國月])"
_YEAR = r"(?:1[0-9]\d\d|20[012]\d)\b"

VALUES: dict[str, re.Pattern[str]] = {
    "date": re.compile(
        r"(?<!\d)(?P<n1>\d{4})(?=\s?年)|(?<=年)\s?(?P<n2>\d{1,2})(?=\s?月)"
        r"|(?<![\d月])(?P<n3>\d{1,2})(?=月\d{1,2}日)|(?<=月)(?P<n4>\d{1,2})(?=日)|(?<=-)(?P<n5>\d\d)(?=-\d\d\b)"
        rf"|\b(?P<month>{_MONTH})\b(?=\s\d)|(?<=\b(?:In|in|of|by|to)\s)(?P<n6>{_YEAR})(?![,.]\d|\s?[a-z]*%)"
        rf"|(?<=\d, )(?P<n7>{_YEAR})"
    ),
    "amount": re.compile(
        rf"(?<=[$€£¥￥])\s?(?P<n1>{_FIGURE})|(?<=RMB )(?P<n2>{_FIGURE})"
        rf"|{_BEFORE}(?P<n3>{_FIGURE})(?=\s?[多余]?(?:{_AMOUNT_UNIT}))"
        rf"|百分之(?P<zh1>{_NUMERAL})|(?<![一二三四五六七八九十百千万两])(?P<zh2>{_NUMERAL})(?=[万亿萬億]?元)"
    ),
    "number": re.compile(
        rf"{_BEFORE}(?P<n1>{_FIGURE}){_AFTER}(?!\s?(?:年|月|日|{_AMOUNT_UNIT}|st\b|nd\b|rd\b|th\b|[.、)）]))"
        r"|(?<![第一二三四五六七八九十百千万两几数十])"
        rf"(?P<zh1>[二三四五六七八九两]|[二三四五六七八九]?十[一二三四五六七八九]?)(?={_COUNTED})"
        r"|\b(?P<word>two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty)\b(?=\s[a-z]{3,})"
    ),
    "identifier": re.compile(
        r"(?<![A-Za-z0-9_./-])(?:[A-Z]{2,}(?:[_/-][A-Z]+)*[_-]?|[A-Z]-?|v|V)"
        r"(?P<n1>\d{1,5})(?![\d%])(?=[A-Za-z._-]*(?![\w]))"
        r"|第(?P<n2>\d{1,3})(?=[条條章款])|第(?P<zh1>[一二三四五六七八九十百]{1,6})(?=[条條章款])"
        r"|\b(?:Article|Section|Chapter|Figure|Form|Route|Highway|Apollo|[Vv]ersion)\s(?P<n3>\d{1,4})\b"
    ),
}
"""What is changed of each kind: the group that took part."""
_LIST_NUMBER = re.compile(r"^\s*(?:\d{1,3}[.)、]|[(（]\d{1,3}[)）]|[一二三四五六七八九十]+、)\s*")
_NUMBER_WORDS = "two three four five six seven eight nine ten twelve twenty thirty".split()

UNITS: dict[TextLanguage, tuple[tuple[str, ...], ...]] = {
    "zh": (
        ("个工作日", "天", "周", "个月", "年"),
        ("小时", "分钟", "秒"),
        ("元", "美元", "港元"),
        ("公里", "米", "厘米"),
        ("公斤", "吨", "克"),
        ("%", "‰"),
        ("万", "亿"),
        ("平方公里", "平方米"),
    ),
    "en": (
        ("business days", "days", "weeks", "months", "years"),
        ("hours", "minutes", "seconds"),
        ("km", "m", "cm"),
        ("miles", "feet", "inches"),
        ("million", "billion", "thousand"),
        ("GB", "MB", "TB"),
        ("kg", "tons"),
        ("percent", "dollars"),
    ),
}
"""Families of units that may be taken for one another."""


def values(sentence: str, kind: str) -> Iterator[tuple[int, int, str]]:
    """Yield (begin, end, text) of the values of a kind in a sentence; a number that counts list items is none."""
    marker = _LIST_NUMBER.match(sentence)
    for found in VALUES[kind].finditer(sentence, marker.end() if marker else 0):
        for name, text in found.groupdict().items():
            if text:
                yield *found.span(name), text


def other_value(text: str, kind: str, dice: random.Random) -> str:
    """Return another value in the same form: one up or down, digits turned, ten times as much, another month."""
    if text in _MONTH.split("|"):
        return dice.choice([month for month in _MONTH.split("|") if month != text])
    if text.lower() in _NUMBER_WORDS:
        return dice.choice([word for word in _NUMBER_WORDS if word != text.lower()])
    if not re.search(r"\d", text):
        return _other_numeral(text, dice)
    whole, point, decimals = text.partition(".")
    value, group = int(whole.replace(",", "")), "," in whole
    if point:
        digit = dice.choice([one for one in "123456789" if one != decimals[-1]])
        return f"{whole}.{decimals[:-1]}{digit}"
    if kind == "date":
        changed = _other_date_part(value, dice)
    else:
        changed = dice.choice(
            [value + dice.randint(1, 9), max(2, value - dice.randint(1, 9)), value * 10, _turned(value)]
        )
    changed = changed if changed != value else value + 3
    return f"{changed:,}" if group else f"{changed:0{len(text)}}" if text.startswith("0") else str(changed)


def _other_date_part(value: int, dice: random.Random) -> int:
    if value > 31:
        return value + dice.choice([-10, -3, -2, -1, 1, 2, 5])
    return dice.choice([part for part in range(1, 13) if part != value])


def _turned(value: int) -> int:
    digits = str(value)
    return int(digits[:-2] + digits[-1] + digits[-2]) if len(digits) > 1 and digits[-1] != "0" else value + 2


def _other_numeral(text: str, dice: random.Random) -> str:
    value = to_int(text)
    return chinese_numeral(dice.choice([other for other in range(2, max(12, value + 8)) if other != value]))


_NUMBER_BEFORE: dict[TextLanguage, str] = {
    "zh": r"(?<=[\d一二三四五六七八九十百千两万亿])\s?",
    "en": r"(?<=\d)\s?|(?<=three|seven|eight)\s|(?<=four|five|nine)\s|(?<=two|six|ten)\s",
}


def units(sentence: str, language: TextLanguage) -> Iterator[tuple[Change, ...]]:
    """Yield, for each unit after a number, the changes to others of its family."""
    for family in UNITS[language]:
        for unit in family:
            border = r"\b" if unit[-1].isascii() and unit[-1].isalpha() else r"(?![代度前份均初末级])"
            pattern = f"(?:{_NUMBER_BEFORE[language]})(?P<unit>{re.escape(unit)}){border}"
            for found in re.finditer(pattern, sentence):
                is_calendar_year = unit == "年" and re.search(r"\d{4}\s?$", sentence[: found.start("unit")])
                if not is_calendar_year:
                    yield tuple((*found.span("unit"), other) for other in family if other != unit)
