"""Which chunks a search may see: metadata filters, permissions, and states that are not to be seen."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from preprocessing.document import Chunk
from preprocessing.visibility import KEY
from retrieval.ranges import FIELDS, OPERATORS, FilterError, Range, ranges_of, values_of

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
    """Document states that are being written, replaced, superseded, or not in force on the day that is asked for."""
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
