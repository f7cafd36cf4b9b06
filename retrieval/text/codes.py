"""Codes: what names one thing by letters and digits and must be copied exactly, such as ERR_4032 or GB/T 7714-2015."""

import re

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


def codes_in(text: str) -> list[str]:
    """Return the codes of a text in NFKC, in their order, as they are written."""
    return [match[0] for match in CODE.finditer(text)]


def is_code(token: str) -> bool:
    """Say whether a token of the search is a code: it has a digit and a letter, as err_4032 and 第46条 have."""
    return _LETTER_AND_DIGIT.match(token) is not None
