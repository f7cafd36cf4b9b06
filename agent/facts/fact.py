"""A fact in normal form, and a reader that finds one kind of fact in a text."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

MARK = "\x00"
"""Stands, with a character of a private plane after it, where a fact was read; no text uses it."""
_FIRST_MARK = 0xF0000

NUMBER_START = r"(?<![A-Za-z0-9_.])"
"""Where a number begins that is not the end of a word or of another number."""


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


@dataclass(frozen=True, slots=True)
class Reader:
    """A way of writing facts."""

    pattern: re.Pattern[str]
    read: Callable[[re.Match[str]], list[Fact] | None]
    """Returns the facts of a match; None leaves it to a later reader."""

    def take(self, text: str, found: list[Fact]) -> str:
        """Append the facts of a normal text, last first, and return the text with a mark for each of them."""
        for match in reversed(list(self.pattern.finditer(text))):
            if (facts := self.read(match)) is not None:
                marks = "".join(f"{MARK}{chr(_FIRST_MARK + len(found) + n)}" for n in range(len(facts)))
                text = f"{text[: match.start()]} {marks or MARK} {text[match.end() :]}"
                found.extend(facts)
        return text


def marked(mark: str) -> int:
    """Return the place in the list of facts that the character after MARK stands for."""
    return ord(mark) - _FIRST_MARK


def plain(value: Decimal) -> str:
    """Return a number without exponent and without zeros at the end of its fraction."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
