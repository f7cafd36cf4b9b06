"""What a passage holds, so that a fact of a claim is found in it however it is written there."""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from agent.facts import read_facts
from agent.facts.dates import date_parts
from agent.facts.fact import Fact
from agent.facts.normal import LIST_NUMBER, half_width
from agent.facts.number_words import numerals_to_digits
from agent.facts.times import UNMARKED

_SECTION = "§"
"""Unit of a number such as 3.2 before a heading: no claim has it."""


@dataclass(frozen=True)
class PassageFacts:
    """The facts of a passage, with what follows from them: a date holds its month and its year."""

    texts: frozenset[str]
    units: Mapping[str, frozenset[str]]
    """Number → the units it stands with."""
    clauses: frozenset[str]
    """Numbers of clauses and list items."""
    words: str
    """The passage in half width and capitals."""

    @classmethod
    def of(cls, passage: str) -> "PassageFacts":
        """Return the facts of a passage."""
        plain = half_width(passage)
        return cls.of_facts(read_facts(passage), plain, *_list_numbers(plain))

    @classmethod
    def of_facts(
        cls, found: Sequence[Fact], plain: str = "", sections: Set[str] = frozenset(), items: Set[str] = frozenset()
    ) -> "PassageFacts":
        """Return the facts with what follows from them; `sections` and `items` are the numbers of lists in the text."""
        units: dict[str, set[str]] = {number: {_SECTION} for number in sections}
        for fact in found:
            for number, unit in _numbers(fact):
                units.setdefault(number, set()).add(unit)
        return cls(
            texts=frozenset(text for fact in found for text in _texts(fact)),
            units={number: frozenset(with_units) for number, with_units in units.items()},
            clauses=frozenset(fact.value for fact in found if fact.kind == "clause") | items,
            words=plain.upper(),
        )

    def holds(self, fact: Fact) -> bool:
        """Tell whether a fact stands in the passage, written in this or in another way."""
        if fact.text in self.texts:
            return True
        match fact.kind:
            case "number":
                return self._holds_number(fact)
            case "date":
                return self._holds_date(fact)
            case "time":
                return self._holds_time(fact)
            case "clause":
                return fact.value in self.clauses
            case "identifier":
                return self._holds_identifier(fact)
            case "ordinal":
                return False

    def _holds_number(self, fact: Fact) -> bool:
        units = self.units.get(fact.value, frozenset())
        return bool(units) and (not fact.unit or "" in units)

    def _holds_date(self, fact: Fact) -> bool:
        """Tell whether the year stands in one place and the rest of the date in another."""
        year, month, day = date_parts(fact.text)
        rest = f"{month}-{day}" if day else f"month {int(month)}"
        return bool(year) and year in self.units and rest in self.texts

    def _holds_time(self, fact: Fact) -> bool:
        """Tell whether 17:30 may be the 5:30 of a passage that speaks of the afternoon, as in 下午2:00至5:30."""
        hour, minute = fact.text.split(":")
        afternoon = any(re.match(r"(?:1[2-9]|2\d):", text) for text in self.texts)
        return afternoon and int(hour) > 12 and f"{int(hour) - 12:02}:{minute} {UNMARKED}" in self.texts

    def _holds_identifier(self, fact: Fact) -> bool:
        named = re.fullmatch(r"[A-Z]{5,}-(\d+)", fact.text)  # a word in one language, another in the other
        if named and named[1] in self.units:
            return True
        spelt = r"\s?".join(map(re.escape, fact.text.upper()))
        return bool(re.search(rf"(?<![A-Z0-9])(?<!\d\.){spelt}(?![A-Z0-9]|\.\d)", self.words))


def _texts(fact: Fact) -> Iterator[str]:
    """Yield the fact and what follows from it."""
    yield fact.text
    if fact.kind == "time" and fact.unit == UNMARKED:
        yield f"{fact.text} {UNMARKED}"
    if fact.kind == "date":
        year, month, day = date_parts(fact.text)
        yield f"month {int(month)}"
        if year:
            yield f"{year}-{month}"
        if day:
            yield f"{month}-{day}"


def _numbers(fact: Fact) -> Iterator[tuple[str, str]]:
    """Yield the numbers in a fact, each with its unit: in GB/T7714-2015 there are 7714 and 2015."""
    if fact.kind == "number":
        yield fact.value, fact.unit
    if fact.kind == "identifier":
        for number in re.findall(r"(?<![^-_/:# ])[1-9]\d*(?![^-_/:# ])", fact.text):
            yield number, ""
    if fact.kind == "date" and (year := date_parts(fact.text)[0]):
        yield year, ""


def _list_numbers(passage: str) -> tuple[set[str], set[str]]:
    """Return the numbers of headings, such as 3.2, and of list items, such as 2."""
    sections: set[str] = set()
    items: set[str] = set()
    for marker in LIST_NUMBER.findall(passage):
        if dotted := re.search(r"\d+(?:\.\d+)+", marker):
            sections.add(dotted[0])
        elif number := re.search(r"\d+", numerals_to_digits(marker)):
            items.add(number[0])
    return sections, items
