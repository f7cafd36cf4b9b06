"""Read parts of a whole: 80%, 百分之八十, 八成半, 三分之二."""

import re
from decimal import Decimal

from agent.facts.fact import NUMBER_START, Fact, Reader, plain
from agent.facts.number_words import ONE

_PERCENT = re.compile(
    rf"(?P<zh>百分之|千分之|万分之)\s*{ONE}?(?P<of>\d+(?:\.\d+)?)"
    rf"|{NUMBER_START}(?P<n>\d+(?:,\d{{3}})*(?:\.\d+)?)\s*"
    r"(?P<sign>%|‰|percentage points|percent|per\s?cent|pct|个百分点|成(?![为本立功员果]))(?P<half>半)?",
    re.IGNORECASE,
)
_FRACTION = re.compile(
    rf"{NUMBER_START}(?:(?P<below>\d+)分之{ONE}?(?P<above>\d+)|(?P<a>\d{{1,2}})/(?P<b>\d{{1,2}}))(?![\d/])"
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


PERCENT = Reader(_PERCENT, _read_percent)
FRACTION = Reader(_FRACTION, _read_fraction)
