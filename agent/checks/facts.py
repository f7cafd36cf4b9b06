"""Read the facts of a text in a form in which all ways of writing one fact are equal."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from agent.checks.numerals import ONE, WORD, normal, plain
from agent.checks.units import CLAUSE_WORDS, MULTIPLIER, MULTIPLIERS, UNIT, UNIT_OF
from retrieval.text.writing import CODE

MARK = "\x00"
"""Stands, with a character of a private plane after it, where a fact was read; no text uses it."""
_FIRST_MARK = 0xF0000


@dataclass(frozen=True)
class Fact:
    """A number, a date, a time, a clause of a document or an identifier that a text states."""

    text: str
    """Normal form, equal for all ways of writing it."""
    kind: Literal["number", "date", "time", "clause", "identifier", "ordinal"]
    value: str = ""
    """Of a number or clause: the number alone."""
    unit: str = ""
    """Of a number: its unit, empty when it has none or one that is not known."""
    weak: bool = False
    """Too vague to hold against a claim, such as "one"."""


def facts(text: str) -> set[str]:
    """Return the numbers, amounts, percentages, dates, times and identifiers of a text in normal form.

    Two ways of writing the same fact give the same string: `1.2万元`, `12,000 yuan` → `12000 CNY`;
    `第四十六条` → `第46条`; `July 1, 2024` → `2024-07-01`; `下午3点` → `15:00`;
    `百分之八十` → `80%`; `v2.3.1` → `2.3.1`.
    """
    return {fact.text for fact in read_facts(text)}


def read_facts(text: str) -> list[Fact]:
    """Return the facts of a text with their kind, value and unit, one kind after the other."""
    found, _ = read_marked(text)
    return [fact for fact in found if fact.kind != "ordinal"]


def read_marked(text: str) -> tuple[list[Fact], str]:
    """Return the facts of a text, ordinals too, and its normal form with a mark where each was read."""
    found: list[Fact] = []
    rest = normal(text)
    for pattern, read in _READERS:
        for match in reversed(list(pattern.finditer(rest))):
            if (facts := read(match)) is not None:
                marks = "".join(f"{MARK}{chr(_FIRST_MARK + len(found) + n)}" for n in range(len(facts)))
                rest = f"{rest[: match.start()]} {marks or MARK} {rest[match.end() :]}"
                found.extend(facts)
    return found, rest


def marked(mark: str) -> int:
    """Return the place in the list of facts that the character after MARK stands for."""
    return ord(mark) - _FIRST_MARK


def date_parts(text: str) -> tuple[str, str, str]:
    """Return year, month and day of `2024-07-01`, `2024-07`, `07-01` or `month 7`; empty where there is none."""
    if text.startswith("month "):
        return "", f"{int(text[6:]):02}", ""
    parts = text.split("-")
    if len(parts[0]) == 4:
        return parts[0], parts[1], parts[2] if len(parts) == 3 else ""
    return "", parts[0], parts[1]


_START = r"(?<![A-Za-z0-9_.])"
"""Where a number begins that is not the end of a word or of another number."""

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<name>jan(?:uary|\.)?|feb(?:ruary|\.)?|mar(?:ch|\.)?|apr(?:il|\.)?|may|jun(?:e|\.)?|jul(?:y|\.)?|aug(?:ust|\.)?|"
    r"sept?(?:ember|\.)?|oct(?:ober|\.)?|nov(?:ember|\.)?|dec(?:ember|\.)?)"
)
_DATE_FORMS = (
    rf"{_START}(?P<y>\d{{4}})\s*年\s*(?P<m>\d{{1,2}})\s*月\s*(?P<d>\d{{1,2}})\s*[日号]?",
    rf"{_START}(?P<y>\d{{4}})(?P<sep>[-/.])(?P<m>\d{{1,2}})(?P=sep)(?P<d>\d{{1,2}})(?![\d.-]*\d)",
    rf"\b{_MONTH}\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y>\d{{4}})(?!\d)",
    rf"{_START}(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH},?\s+(?P<y>\d{{4}})(?!\d)",
    rf"{_START}(?P<y>\d{{4}})\s*年\s*(?P<m>\d{{1,2}})\s*月份?",
    rf"\b{_MONTH},?\s+(?P<y>\d{{4}})(?!\d)",
    rf"{_START}(?P<y>(?:19|20)\d\d)[-/](?P<m>0[1-9]|1[0-2])(?![\d/-])",
    rf"{_START}(?P<m>\d{{1,2}})\s*月\s*(?P<d>\d{{1,2}})\s*[日号]",
    rf"\b{_MONTH}[ \t]+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?![:.,]?\d)",
    rf"{_START}(?P<d>\d{{1,2}})(?:st|nd|rd|th)?[ \t]+(?:of\s+)?{_MONTH}\b",
    rf"{_START}(?P<m>\d{{1,2}})\s*月份?(?!内)",
    r"(?:\b(?:in|by|since|until|from|every|each)\s+)(?-i:(?=[A-Z]))" + _MONTH + r"\b",
)


def _read_date(match: re.Match[str]) -> list[Fact] | None:
    parts = match.groupdict()
    name = parts.get("name")
    month = _MONTHS.index(name[:3].lower()) + 1 if name else int(parts["m"])
    year, day = parts.get("y"), parts.get("d")
    if not 1 <= month <= 12 or not 1 <= int(day or 1) <= 31:
        return None
    if not year and not day:
        return [Fact(f"month {month}", "date")]
    return [Fact("-".join(filter(None, (year, f"{month:02}", day and f"{int(day):02}"))), "date")]


_TIME = re.compile(
    rf"(?P<part>凌晨|早上|上午|中午|下午|傍晚|晚上|晚)?\s*{_START}[{ONE}{WORD}]?(?:(?P<h>\d{{1,2}}):(?P<min>\d\d)(?::\d\d)?(?!\d)"
    r"|(?P<zh>\d{1,2})\s*(?:点钟?|时)(?:(?P<half>半)|(?P<zmin>\d{1,2})分?)?(?!间|\d)|(?P<bare>\d{1,2})(?=\s*[ap]\.?m\b))"
    r"\s*(?P<half_day>[ap]\.?m\b\.?)?",
    re.IGNORECASE,
)
_LISTED = re.compile(r"(?:以下|如下|下列|这|共|有|注意|几)\s*$")


def _read_time(match: re.Match[str]) -> list[Fact] | None:
    part, marker = match["part"] or "", (match["half_day"] or "").lower()
    hour = int(match["h"] or match["zh"] or match["bare"])
    minute = 30 if match["half"] else int(match["min"] or match["zmin"] or 0)
    if hour > 24 or minute > 59 or _is_count_of_points(match):
        return None
    if hour < 12 and (
        part in ("下午", "傍晚", "晚上", "晚") or marker.startswith("p") or (part == "中午" and hour < 10)
    ):
        hour += 12
    elif hour == 12 and marker.startswith("a"):
        hour = 0
    return [Fact(f"{hour:02}:{minute:02}", "time")]


def _is_count_of_points(match: re.Match[str]) -> bool:
    """Tell 以下3点 or 3点: before a list from three o'clock."""
    before, after = match.string[: match.start()], match.string[match.end() :]
    return match[0].endswith("点") and not match["part"] and bool(_LISTED.search(before) or after.startswith(":"))


_CLAUSE = re.compile(
    rf"第\s*(?P<n>\d{{1,5}})\s*(?P<kind>季度|部分|[{CLAUSE_WORDS}])"
    r"|\b(?:articles?|sections?|clauses?|chapters?|page|paragraph|art\.|sec\.)\s+(?P<en>\d{1,5})(?![\d.]*\d)",
    re.IGNORECASE,
)


def _read_clause(match: re.Match[str]) -> list[Fact]:
    number, kind = str(int(match["n"] or match["en"])), match["kind"] or ""
    if kind == "季度":
        return [Fact(f"Q{number}", "identifier")]
    page = kind == "页" or match[0].lower().startswith("page")
    return [Fact(f"第{number}{kind}", "clause", number, weak=page)]


_PERCENT = re.compile(
    rf"(?P<zh>百分之|千分之|万分之)\s*{ONE}?(?P<of>\d+(?:\.\d+)?)"
    rf"|{_START}(?P<n>\d+(?:,\d{{3}})*(?:\.\d+)?)\s*"
    r"(?P<sign>%|‰|percentage points|percent|per\s?cent|pct|个百分点|成(?![为本立功员果]))(?P<half>半)?",
    re.IGNORECASE,
)
_FRACTION = re.compile(
    rf"{_START}(?:(?P<below>\d+)分之{ONE}?(?P<above>\d+)|(?P<a>\d{{1,2}})/(?P<b>\d{{1,2}}))(?![\d/])"
)


def _read_percent(match: re.Match[str]) -> list[Fact]:
    value = Decimal((match["of"] or match["n"]).replace(",", ""))
    sign = match["sign"] or {"百": "%", "千": "‰", "万": "‱"}[match["zh"][0]]
    if sign == "成":
        value = value * 10 + (5 if match["half"] else 0)
    sign = sign if sign in ("‰", "‱") else "%"
    return [Fact(f"{plain(value)}{sign}", "number", plain(value), sign)]


def _read_fraction(match: re.Match[str]) -> list[Fact]:
    above, below = match["above"] or match["a"], match["below"] or match["b"]
    return [Fact(f"{above}/{below}", "identifier")]


_IDENTIFIER = re.compile(
    rf"{CODE.pattern}|(?<![A-Za-z\d.])(?:[vV]?\d+(?:\.\d+){{2,}}|\d+(?:/\d+){{2,}}|[12]\d\d0[sS])(?![A-Za-z\d.]*[A-Za-z\d])"
)
"""Codes, versions such as 2.3.1, addresses such as 192.168.1.1, and decades such as 1970s."""
_APART = re.compile(r"(?P<letters>[A-Z]+(?:/[A-Z]+)*)\s\S*")


def _read_identifier(match: re.Match[str]) -> list[Fact] | None:
    # GB/T 7714 and ISO 9001-2015 name something; RMB 500 and PTO 15 are a word and a number.
    if (apart := _APART.fullmatch(match[0])) and not re.search(r"/|\d[-:.–—]\d", match[0]):
        return None
    if apart and apart["letters"].lower() in UNIT_OF:
        return None
    token = re.sub(r"\s", "", match[0]).replace("—", "-").replace("–", "-").upper()
    if token.lower() in UNIT_OF:
        return None
    if re.fullmatch(r"S\d{1,2}", token):
        return []  # a label without its brackets
    return [Fact(re.sub(r"^V(?=\d)", "", token), "identifier")]


_COUNTED = (
    r"(?:个?(?:方面|条件|步骤|部分|要点|原因|情形|情况|要求|阶段|环节|问题|例子|场景|选项|方式|方法|层次|层面|要素|大类|文件|来源|资料)"
    r"|点(?!\d)|种|类|步|大(?=类|方面|部分)|者|"
    r"\s*(?:main\s+|key\s+|different\s+)?(?:points|steps|conditions|reasons|ways|types|kinds|categories|parts|items|options|"
    r"cases|requirements|things|aspects|sources|documents|passages|examples|methods|stages|rules)\b)"
)
"""What an answer counts of its own: "three conditions", 以下两点."""
_AMOUNT = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?"
_NUMBER = re.compile(
    rf"(?P<sign>[¥$€£]|(?:RMB|CNY|USD|EUR|HKD|人民币|US\$)\s*[¥$]?)?\s*{_START}(?P<mark>[{WORD}{ONE}])?"
    rf"(?P<n>{_AMOUNT})(?:\s*(?P<times>{MULTIPLIER})(?:{ONE}?(?P<n2>\d+)(?P<times2>{MULTIPLIER}))?)?"
    rf"(?:(?P<counted>{_COUNTED})|(?P<a_half>个半)?[\s-]?(?:个|多|余|整)?\s*(?:连续|calendar\s|consecutive\s|full\s|paid\s)?\s*"
    rf"(?P<unit>{UNIT})(?P<and_half>半)?)?(?P<ordinal>(?:st|nd|rd|th)\b)?",
    re.IGNORECASE,
)
_SIGNS = {"¥": "CNY", "RMB": "CNY", "人民币": "CNY", "$": "USD", "US$": "USD", "€": "EUR", "£": "GBP"}


def _read_number(match: re.Match[str]) -> list[Fact]:
    value, unit = _value(match), _unit(match)
    text = plain(value)
    if match["ordinal"] or _is_ordinal(match):
        return [Fact(f"no. {text}", "ordinal", text)]
    if unit == "years" and 1000 <= value <= 2100 and not match["times"]:
        unit = ""  # a calendar year
    one, word = match["mark"] == ONE and value == 1, match["mark"] == WORD and not unit
    weak = one or word or (bool(match["counted"]) and value <= 20)
    return [Fact(f"{text} {unit}".rstrip(), "number", text, unit, weak)]


def _is_ordinal(match: re.Match[str]) -> bool:
    """Tell 第3, 第3次 and 第3人 from 第3年."""
    nth = match.string[: match.start("n")].rstrip().endswith("第")
    return nth and UNIT_OF.get(match["unit"] or "", "times") in ("times", "people")


def _value(match: re.Match[str]) -> Decimal:
    value = Decimal(match["n"].replace(",", ""))
    if match["times"]:
        value *= MULTIPLIERS[match["times"].lower()]
    if match["sign"] and (match["unit"] or "").lower() == "m":
        value *= 10**6  # £30m
    if match["times2"]:
        value += Decimal(match["n2"]) * MULTIPLIERS[match["times2"].lower()]
    if match["a_half"] or match["and_half"]:
        value += Decimal("0.5")
    return value


def _unit(match: re.Match[str]) -> str:
    """Return the currency before the number, or the unit after it."""
    sign = re.sub(r"\s|(?<=\w)[¥$]", "", match["sign"] or "").upper()
    return _SIGNS.get(sign, sign) or UNIT_OF.get(re.sub(r"\s+", " ", (match["unit"] or "").lower()), "")


_Reader = Callable[[re.Match[str]], list[Fact] | None]
"""Returns the facts of a match; None leaves it to a later reader."""
_READERS: tuple[tuple[re.Pattern[str], _Reader], ...] = (
    # Most specific first: what one has read, the next does not see.
    # ASCII: a Chinese character next to a letter is the border of a word.
    *((re.compile(form, re.IGNORECASE | re.ASCII), _read_date) for form in _DATE_FORMS),
    (_TIME, _read_time),
    (_CLAUSE, _read_clause),
    (_PERCENT, _read_percent),
    (_FRACTION, _read_fraction),
    (_IDENTIFIER, _read_identifier),
    (_NUMBER, _read_number),
)
