"""A filter as the engines of the stores take it: all its conditions are on indexed fields of the payload."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

from retrieval.filters import Filter, split_wanted
from retrieval.ranges import KINDS, Range
from retrieval.store.payload import (
    EVERYONE,
    FACETS,
    MEASURES,
    OTHER_MEASURES,
    REVISION,
    SEEN_BY,
    facet,
    group,
    measure_name,
)

if TYPE_CHECKING:
    import qdrant_edge
    from qdrant_client import models


@dataclass(frozen=True, slots=True)
class AnyOf:
    """One of the values of a payload field is one of these, or begins like one of those."""

    field: str
    values: Sequence[str]
    beginnings: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Between:
    """A measure is inside the bounds; None leaves a side open."""

    field: str
    low: float | None
    high: float | None
    name: str | None = None
    """Name of the measure, where the field is a list of named ones."""


Condition = AnyOf | Between


def required(where: Filter) -> list[Condition]:
    """Return the conditions that a point must meet, all of them."""
    groups = [EVERYONE, *(group(name) for name in sorted(where.viewer))]
    return [AnyOf(SEEN_BY, groups), *_facets(where), *map(_between, where.ranges)]


def excluded(where: Filter) -> list[Condition]:
    """Return the conditions of which a point must meet none."""
    return [AnyOf(REVISION, sorted(where.exclude_revisions))] if where.exclude_revisions else []


def edge_condition(
    condition: Condition,
) -> "qdrant_edge.FieldCondition | qdrant_edge.NestedCondition | qdrant_edge.Filter":
    """Return the condition as the embedded engine takes it."""
    # Imported late: a native library of tens of megabytes that a Qdrant server makes needless.
    import qdrant_edge as edge

    if isinstance(condition, Between):
        bounds = edge.RangeFloat(gte=condition.low, lte=condition.high)
        if condition.name is None:
            return edge.FieldCondition(key=condition.field, range=bounds)
        named = edge.FieldCondition(key="name", match=edge.MatchAny([condition.name]))
        return edge.NestedCondition(
            condition.field, edge.Filter(must=[named, edge.FieldCondition(key="value", range=bounds)])
        )
    exact = edge.FieldCondition(key=condition.field, match=edge.MatchAny(list(condition.values)))
    if not condition.beginnings:
        return exact
    beginnings = [
        edge.FieldCondition(key=condition.field, match=edge.MatchPrefix(text)) for text in condition.beginnings
    ]
    return edge.Filter(should=[exact, *beginnings])


def server_condition(condition: Condition) -> "models.Condition":
    """Return the condition as the client of a Qdrant server takes it."""
    # Imported late: the client takes most of a second to import, and the embedded store does without.
    from qdrant_client import models

    if isinstance(condition, Between):
        bounds = models.Range(gte=condition.low, lte=condition.high)
        if condition.name is None:
            return models.FieldCondition(key=condition.field, range=bounds)
        named = models.FieldCondition(key="name", match=models.MatchAny(any=[condition.name]))
        inside = models.Filter(must=[named, models.FieldCondition(key="value", range=bounds)])
        return models.NestedCondition(nested=models.Nested(key=condition.field, filter=inside))
    exact = models.FieldCondition(key=condition.field, match=models.MatchAny(any=list(condition.values)))
    if not condition.beginnings:
        return exact
    beginnings = [
        models.FieldCondition(key=condition.field, match=models.MatchPrefix(prefix=text))
        for text in condition.beginnings
    ]
    return models.Filter(should=[exact, *beginnings])


def _facets(where: Filter) -> Iterator[AnyOf]:
    for key, wanted in where.equals.items():
        exact, beginnings = split_wanted(key, wanted)
        yield AnyOf(FACETS, [facet(key, value) for value in exact], [facet(key, value) for value in beginnings])


def _between(one: Range) -> Between:
    low, high = (bound if isfinite(bound) else None for bound in (one.low, one.high))
    if one.key in KINDS:
        return Between(f"{MEASURES}.{one.key}", low, high)
    return Between(OTHER_MEASURES, low, high, measure_name(one.key, one.kind))
