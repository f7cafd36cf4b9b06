"""Read what names one thing and must be copied exactly: error codes, standards, versions, telephone numbers, URLs."""

import re

from agent.facts.fact import NUMBER_START, Fact, Reader
from agent.facts.units import UNIT_OF

_URL = re.compile(r"https?://[\w./?=&%#:~+-]+[\w/]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+", re.ASCII)
_PHONE = re.compile(rf"{NUMBER_START}(?:0\d{{2,3}}-\d{{7,8}}|\d{{3,4}}-\d{{3,4}}-\d{{4}}|1\d{{10}})(?![\d-])")
_STANDARD = re.compile(
    r"(?<![A-Za-z0-9])(?:(?:GB|ISO|IEC|IEEE|RFC|DB|HG|JB|SH|YY|JGJ|EN|ASTM)(?:\d\d)?(?:/[A-Z]+)*|[A-Z]{2,}(?:/[A-Z]+)?(?=\s?\d+[-:]))"
    r"\s?\d[\d.]*(?:[-:—–]\d+)*(?![A-Za-z0-9])"
)
_IDENTIFIER = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]+(?:[-_./:#][A-Za-z0-9]+)*(?![A-Za-z0-9])")

_BARE_LABEL = re.compile(r"S\d{1,2}")
_DECADE = re.compile(r"[12]\d\d0S")
_NUMBER_WITH_UNIT = re.compile(r"\d[\d.]*(?:[-/]?[A-Z]+)+[23]?")
_DOTTED = re.compile(r"\d+(?:\.\d+){2,}|\d+(?:/\d+){2,}")


def _read_url(match: re.Match[str]) -> list[Fact]:
    return [Fact(match[0].lower(), "identifier")] if re.search(r"\d", match[0]) else []


def _read_phone(match: re.Match[str]) -> list[Fact]:
    return [Fact(match[0].replace("-", ""), "identifier")]


def _read_identifier(match: re.Match[str]) -> list[Fact] | None:
    token = re.sub(r"\s", "", match[0]).replace("—", "-").replace("–", "-").upper()
    if token.lower() in UNIT_OF:
        return None
    if _BARE_LABEL.fullmatch(token):
        return []
    if not _names_a_thing(token):
        return None
    return [Fact(re.sub(r"^V(?=\d)", "", token), "identifier")]


def _names_a_thing(token: str) -> bool:
    """Tell ERR_4032, 1970S and 192.168.1.1 from words, numbers and numbers with a unit."""
    if _DECADE.fullmatch(token) or _DOTTED.fullmatch(token):
        return True
    has_letter, has_digit = re.search("[A-Z]", token), re.search(r"\d", token)
    return bool(has_letter and has_digit and not _NUMBER_WITH_UNIT.fullmatch(token))


URL = Reader(_URL, _read_url)
PHONE = Reader(_PHONE, _read_phone)
STANDARD = Reader(_STANDARD, _read_identifier)
IDENTIFIER = Reader(_IDENTIFIER, _read_identifier)
