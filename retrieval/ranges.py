"""Ranges of dates and numbers: what a filter such as `updated_at>=2024` asks, and what a chunk has to compare."""

import datetime
import math
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from preprocessing.document import Chunk
from preprocessing.errors import FolioError
from retrieval.dates import period_of

FIELDS = ("doc_id", "source", "title", "section", "page", "doc_type", "version", "updated_at")
"""Fields of a chunk that filters name; every other name is metadata."""

Kind = Literal["number", "date"]
Operator = Literal[">=", ">", "<=", "<"]
OPERATORS: tuple[Operator, ...] = (">=", "<=", ">", "<")

KINDS: Mapping[str, Kind] = {"page": "number", "updated_at": "date", "effective_from": "date", "effective_to": "date"}
"""Fields that are of one kind in every document; other metadata is what it looks like."""
_TEXT = frozenset(FIELDS) - KINDS.keys()
_NUMBER = re.compile(r"[-+]?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?")
_RIGHT: Mapping[Kind, str] = {"number": "10", "date": "2024-01-01"}


class FilterError(FolioError):
    """A filter could not be read; the message shows a right one."""


@dataclass(frozen=True, slots=True)
class Range:
    """Bounds that one value of a field keeps together; a day counts as its number in the calendar."""

    key: str
    kind: Kind
    low: float = -math.inf
    high: float = math.inf
    """Both bounds are inside."""

    def holds(self, chunk: Chunk) -> bool:
        """Say whether a value of the chunk is inside."""
        return any(self.low <= value <= self.high for value in measures_of(chunk, self.key, self.kind))


def ranges_of(bounds: Mapping[str, Sequence[str]]) -> tuple[Range, ...]:
    """Read bounds by field and operator, such as `page>=` → `("3",)`, into one range a field.

    Raises FilterError for a field of text, a bound that is neither a date nor a number, and one given twice.
    """
    read: dict[tuple[str, Kind], tuple[float, float]] = {}
    for name, values in bounds.items():
        operator = next(operator for operator in OPERATORS if name.endswith(operator))
        key = name.removesuffix(operator).strip()
        if len(values) != 1:
            raise FilterError(f"filter {name} is given twice ({', '.join(values)}); give one bound")
        kind, low, high = _bound(key, operator, values[0])
        before = read.get((key, kind), (-math.inf, math.inf))
        read[key, kind] = max(before[0], low), min(before[1], high)
    return tuple(Range(key, kind, low, high) for (key, kind), (low, high) in read.items())


def measures_of(chunk: Chunk, key: str, kind: Kind) -> Iterator[float]:
    """Yield what the chunk has under a field to compare with bounds of that kind."""
    for value in values_of(chunk, key):
        measure = _number(value) if kind == "number" else _day(key, value)
        if measure is not None:
            yield measure


def kinds_of(key: str) -> tuple[Kind, ...]:
    """Return the kinds that the values of a field may be of; none for a field of text."""
    if key in _TEXT:
        return ()
    return (KINDS[key],) if key in KINDS else ("number", "date")


def values_of(chunk: Chunk, key: str) -> tuple[str, ...]:
    """Return the values of a field or metadata key of the chunk as text; empty when it has none."""
    value = getattr(chunk, key) if key in FIELDS else chunk.metadata.get(key)
    if value is None:
        return ()
    return tuple(map(str, value)) if isinstance(value, (tuple, list)) else (str(value),)


def _bound(key: str, operator: Operator, written: str) -> tuple[Kind, float, float]:
    shown = f"filter {key}{operator}{written}"
    kinds = kinds_of(key)
    if not kinds:
        hint = f"; for its beginning write {key}={written}*" if key in ("source", "section") else ""
        raise FilterError(
            f"{shown}: {key} is text, and {operator} compares numbers and dates, such as page>=10 or "
            f"updated_at>=2024-01-01{hint}"
        )
    if "number" in kinds and (number := _number(written)) is not None:
        return "number", *_sides(operator, number, number)
    # A bare year is a number, unless the field holds nothing but dates.
    if "date" in kinds and (period := period_of(written)) is not None:
        return "date", *_sides(operator, period.first.toordinal(), period.last.toordinal())
    if len(kinds) == 1:
        raise FilterError(f"{shown}: {written!r} is not a {kinds[0]}; a right one is {key}{operator}{_RIGHT[kinds[0]]}")
    raise FilterError(
        f"{shown}: {written!r} is neither a number nor a date; right ones are {key}{operator}{_RIGHT['number']} "
        f"and {key}{operator}{_RIGHT['date']}"
    )


def _sides(operator: Operator, first: float, last: float) -> tuple[float, float]:
    """Return the lowest and the highest value that the operator allows for a bound from `first` to `last`."""
    if operator == ">=":
        return first, math.inf
    if operator == ">":
        return math.nextafter(last, math.inf), math.inf
    if operator == "<=":
        return -math.inf, last
    return -math.inf, math.nextafter(first, -math.inf)


def _number(written: str) -> float | None:
    text = unicodedata.normalize("NFKC", written).strip()
    return float(text.replace(",", "")) if _NUMBER.fullmatch(text) else None


def _day(key: str, written: str) -> float | None:
    # A bare number is no day, or every year of a book would be one.
    period = period_of(written) if key in KINDS or _number(written) is None else None
    if period is None:
        return None
    day: datetime.date = period.last if key == "effective_to" else period.first
    return day.toordinal()
