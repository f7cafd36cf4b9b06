"""Read dates, months and centuries, in English and Chinese and in figures."""

import re

from agent.facts.fact import NUMBER_START, Fact, Reader
from agent.facts.number_words import ONE

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<name>jan(?:uary|\.)?|feb(?:ruary|\.)?|mar(?:ch|\.)?|apr(?:il|\.)?|may|jun(?:e|\.)?|jul(?:y|\.)?|aug(?:ust|\.)?|"
    r"sept?(?:ember|\.)?|oct(?:ober|\.)?|nov(?:ember|\.)?|dec(?:ember|\.)?)"
)
_DATE_FORMS = [
    rf"{NUMBER_START}(?P<y>\d{{4}})\s*年\s*(?P<m>\d{{1,2}})\s*月\s*(?P<d>\d{{1,2}})\s*[日号]?",
    rf"{NUMBER_START}(?P<y>\d{{4}})(?P<sep>[-/.])(?P<m>\d{{1,2}})(?P=sep)(?P<d>\d{{1,2}})(?![\d.-]*\d)",
    rf"\b{_MONTH}\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y>\d{{4}})(?!\d)",
    rf"{NUMBER_START}(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH},?\s+(?P<y>\d{{4}})(?!\d)",
    rf"{NUMBER_START}(?P<y>\d{{4}})\s*年\s*(?P<m>\d{{1,2}})\s*月份?",
    rf"\b{_MONTH},?\s+(?P<y>\d{{4}})(?!\d)",
    rf"{NUMBER_START}(?P<y>(?:19|20)\d\d)[-/](?P<m>0[1-9]|1[0-2])(?![\d/-])",
    rf"{NUMBER_START}(?P<m>\d{{1,2}})\s*月\s*(?P<d>\d{{1,2}})\s*[日号]",
    rf"\b{_MONTH}[ \t]+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?![:.,]?\d)",
    rf"{NUMBER_START}(?P<d>\d{{1,2}})(?:st|nd|rd|th)?[ \t]+(?:of\s+)?{_MONTH}\b",
    rf"{NUMBER_START}(?P<m>\d{{1,2}})\s*月份?(?!内)",
    r"(?:\b(?:in|by|since|until|from|every|each)\s+)(?-i:(?=[A-Z]))" + _MONTH + r"\b",
]
_CENTURY = re.compile(
    rf"{NUMBER_START}[{ONE}]?(?:(?P<n>\d{{1,2}})\s*世纪|(?P<en>\d{{1,2}})(?:st|nd|rd|th)[\s-]centur(?:y|ies)\b)",
    re.I | re.A,
)


def date_parts(text: str) -> tuple[str, str, str]:
    """Return year, month and day of `2024-07-01`, `2024-07`, `07-01` or `month 7`; empty where there is none."""
    if text.startswith("month "):
        return "", f"{int(text[6:]):02}", ""
    parts = text.split("-")
    if len(parts[0]) == 4:
        return parts[0], parts[1], parts[2] if len(parts) == 3 else ""
    return "", parts[0], parts[1]


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


def _read_century(match: re.Match[str]) -> list[Fact]:
    return [Fact(f"{int(match['n'] or match['en'])} century", "identifier")]


# ASCII: a Chinese character next to a letter is the border of a word.
DATES = [Reader(re.compile(form, re.IGNORECASE | re.ASCII), _read_date) for form in _DATE_FORMS]
CENTURY = Reader(_CENTURY, _read_century)
