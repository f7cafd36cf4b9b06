"""Read the facts of a text in a form in which all ways of writing one fact are equal."""

from agent.facts.clauses import CLAUSE
from agent.facts.dates import CENTURY, DATES
from agent.facts.fact import Fact
from agent.facts.identifiers import IDENTIFIER, PHONE, STANDARD, URL
from agent.facts.normal import normal
from agent.facts.numbers import NUMBER
from agent.facts.shares import FRACTION, PERCENT
from agent.facts.times import TIME

# Most specific first: what one has read, the next does not see.
_READERS = (URL, *DATES, TIME, CENTURY, PHONE, STANDARD, CLAUSE, PERCENT, FRACTION, IDENTIFIER, NUMBER)


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
    for reader in _READERS:
        rest = reader.take(rest, found)
    return found, rest
