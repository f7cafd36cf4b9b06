"""What a point carries besides its vector, and what a filter asks of it, alike in every store."""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from math import isfinite
from typing import Any, Literal

from preprocessing.document import Chunk
from preprocessing.visibility import KEY
from retrieval.filters import FIELDS, KINDS, Filter, Kind, Range, kinds_of, measures_of, split_wanted, values_of

FACETS = "facets"
SEEN_BY = "seen_by"
REVISION = "revision"
MEASURES = "measures"
"""Page and dates as numbers, by field."""
OTHER_MEASURES = "other_measures"
"""Numbers and dates of other metadata, each with its name: no index can be made for every key in advance."""

IndexKind = Literal["keyword", "prefix", "number"]
INDEXED: Mapping[str, IndexKind] = {
    REVISION: "keyword",
    "doc_id": "keyword",
    FACETS: "prefix",
    SEEN_BY: "keyword",
    **{f"{MEASURES}.{key}": "number" for key in KINDS},
    f"{OTHER_MEASURES}[].name": "keyword",
    f"{OTHER_MEASURES}[].value": "number",
}
"""Payload fields with an index; every condition is on one of them, so a strict server takes any filter."""

EVERYONE = "everyone"
_NAMESPACE = uuid.UUID("5b1d5c39-6f4e-5d0a-9f0e-3c2a4f7b8e61")


def point_id(chunk_id: str) -> str:
    """Return the UUID that stands for a chunk id; engines take no paths or Chinese names as ids."""
    return str(uuid.uuid5(_NAMESPACE, chunk_id))


def to_payload(chunk: Chunk) -> dict[str, Any]:
    """Return the chunk as JSON values, with the facets, groups and measures that filters ask for."""
    payload = {field.name: getattr(chunk, field.name) for field in fields(chunk)}
    payload["section"] = list(chunk.section)
    payload["metadata"] = {
        key: list(value) if isinstance(value, tuple) else value for key, value in chunk.metadata.items()
    }
    payload[FACETS] = sorted(set(_facets(chunk)))
    payload[SEEN_BY] = [group(name) for name in values_of(chunk, KEY)] or [EVERYONE]
    payload[MEASURES] = {key: values for key, kind in KINDS.items() if (values := [*measures_of(chunk, key, kind)])}
    payload[OTHER_MEASURES] = [
        {"name": measure_name(key, kind), "value": value}
        for key in chunk.metadata.keys() - {*KINDS, *FIELDS}
        for kind in kinds_of(key)
        for value in measures_of(chunk, key, kind)
    ]
    return payload


def from_payload(payload: Mapping[str, Any]) -> Chunk:
    """Return the chunk that `to_payload` was given."""
    stored = {field.name: payload[field.name] for field in fields(Chunk) if field.name in payload}
    stored["section"] = tuple(stored["section"])
    stored["metadata"] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in stored["metadata"].items()
    }
    return Chunk(**stored)


def _facets(chunk: Chunk) -> Iterator[str]:
    for key in (*FIELDS, *chunk.metadata):
        for value in values_of(chunk, key):
            yield facet(key, value)


def facet(key: str, value: str) -> str:
    """Return what stands in the facets for a value of a field; the beginning of a value gives that of a facet."""
    # `=` is escaped in the key alone: `a=b` with value `c` must differ from `a` with value `b=c`.
    return f"{key.replace('%', '%25').replace('=', '%3D')}={value}"


def group(name: str) -> str:
    """Return what stands for a group in the payload; apart from EVERYONE, whatever the group is called."""
    return f"group {name}"


def measure_name(key: str, kind: Kind) -> str:
    """Return the name of a measure of metadata."""
    return f"{kind} {key}"


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
    return [AnyOf(SEEN_BY, groups), *_wanted(where), *map(_between, where.ranges)]


def excluded(where: Filter) -> list[Condition]:
    """Return the conditions of which a point must meet none."""
    return [AnyOf(REVISION, sorted(where.exclude_revisions))] if where.exclude_revisions else []


def _wanted(where: Filter) -> Iterator[AnyOf]:
    for key, wanted in where.equals.items():
        exact, beginnings = split_wanted(key, wanted)
        yield AnyOf(FACETS, [facet(key, value) for value in exact], [facet(key, value) for value in beginnings])


def _between(one: Range) -> Between:
    low, high = (bound if isfinite(bound) else None for bound in (one.low, one.high))
    if one.key in KINDS:
        return Between(f"{MEASURES}.{one.key}", low, high)
    return Between(OTHER_MEASURES, low, high, measure_name(one.key, one.kind))
