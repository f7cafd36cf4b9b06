"""Which chunks a search may see: metadata filters with ranges, permissions, and revisions that are not to be seen."""

import datetime
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Self

from preprocessing.document import Chunk
from preprocessing.errors import FolioError
from preprocessing.visibility import KEY
from retrieval.text.dates import period_of

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


__all__ = [
    "FIELDS",
    "OPERATORS",
    "PREFIXED",
    "Filter",
    "FilterError",
    "Filters",
    "matches",
    "parse_filters",
    "values_of",
]

Filters = Mapping[str, tuple[str, ...]]
"""Field or metadata key → values, any of which is enough; all keys hold together.

Of `source` and `section` a value that ends in `*` means every one that begins so. A key that ends in `>=`, `>`, `<=` or
`<` has one value, the bound of a number or a date: `{"updated_at>=": ("2024",)}`.
"""

PREFIXED = ("source", "section")
"""Fields of which the beginning is enough, written with `*`."""
_PAIR = re.compile(r"(?P<key>[^=<>!~≥≤]*)(?P<operator>[=<>!~≥≤]+)(?P<value>.*)", re.DOTALL)
_ALIASES = {"≥": ">=", "≤": "<="}


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions that hold together; each leg applies them before it ranks."""

    equals: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Field or metadata key → values, any of which is enough, as in `Filters`. `section` means any heading above."""
    viewer: frozenset[str] = frozenset()
    """Groups of the person who asks. A chunk with `visible_to` metadata is seen only by those groups, others by all."""
    exclude_revisions: frozenset[str] = frozenset()
    """Document revisions that are being written, replaced, superseded, or not in force on the day that is asked for."""
    ranges: tuple[Range, ...] = ()

    @classmethod
    def of(cls, filters: Filters, viewer: Iterable[str] = (), exclude_revisions: frozenset[str] = frozenset()) -> Self:
        """Make a filter of what people give. Raises FilterError for a range that cannot be."""
        bounds = {key: values for key, values in filters.items() if key.endswith(OPERATORS)}
        equals = {key: values for key, values in filters.items() if key not in bounds}
        return cls(equals, frozenset(viewer), exclude_revisions, ranges_of(bounds))

    def allows(self, chunk: Chunk) -> bool:
        """Say whether the chunk may be seen."""
        if chunk.revision in self.exclude_revisions or not self.is_visible(chunk):
            return False
        return all(matches(key, values_of(chunk, key), wanted) for key, wanted in self.equals.items()) and all(
            one.holds(chunk) for one in self.ranges
        )

    def is_visible(self, chunk: Chunk) -> bool:
        """Say whether the viewer has the right to see the chunk."""
        groups = values_of(chunk, KEY)
        return not groups or not self.viewer.isdisjoint(groups)


def matches(key: str, values: Sequence[str], wanted: Sequence[str]) -> bool:
    """Say whether one of the values of a field is wanted."""
    exact, beginnings = split_wanted(key, wanted)
    return any(value in exact or value.startswith(beginnings) for value in values)


def split_wanted(key: str, wanted: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the wanted values of a field that are meant as a whole, and those of which the beginning is enough."""
    beginnings = tuple(value.rstrip("*") for value in wanted if key in PREFIXED and value.endswith("*"))
    return tuple(value for value in wanted if key not in PREFIXED or not value.endswith("*")), beginnings


def parse_filters(pairs: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Read `key=value` pairs and bounds such as `page>=3`; a key given twice takes any of its values.

    Raises FilterError for what is no filter, an operator that there is not, and a bound that its field cannot have.
    """
    filters: dict[str, tuple[str, ...]] = {}
    for pair in pairs:
        key, operator, value = _parts(pair)
        name = key if operator == "=" else key + operator
        filters[name] = (*filters.get(name, ()), value)
    Filter.of(filters)
    return filters


def parse_pairs(pairs: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Read `key=value` pairs whose values are no filters; a key given twice has both. Raises FilterError."""
    read: dict[str, tuple[str, ...]] = {}
    for pair in pairs:
        key, separator, value = (part.strip() for part in pair.partition("="))
        if not separator or not key or not value:
            raise FilterError(f"{pair!r} is not key=value; a right one is department=hr")
        read[key] = (*read.get(key, ()), value)
    return read


def _parts(pair: str) -> tuple[str, str, str]:
    found = _PAIR.fullmatch(pair)
    if not found or not found["key"].strip() or not found["value"].strip():
        raise FilterError(f"filter {pair!r} is not key=value; a right one is doc_type=pdf")
    operator = _ALIASES.get(found["operator"], found["operator"])
    if operator not in ("=", *OPERATORS):
        raise FilterError(
            f"filter {pair!r}: there is no operator {operator}; right ones are doc_type=pdf, page>=3, page<10 and "
            "updated_at>=2024-01-01"
        )
    return found["key"].strip(), operator, found["value"].strip()
