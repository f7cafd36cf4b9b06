"""What a point carries besides its vector, and what a filter asks of it, alike in every store."""

import uuid
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from preprocessing.document import Chunk
from retrieval.filters import FIELDS, Filter, values_of

FACETS = "facets"
SEEN_BY = "seen_by"
REVISION = "revision"
INDEXED = (REVISION, "doc_id", FACETS, SEEN_BY)
"""Payload fields with a keyword index; every condition is on one of them, so a strict server takes any filter."""

_NAMESPACE = uuid.UUID("5b1d5c39-6f4e-5d0a-9f0e-3c2a4f7b8e61")
_EVERYONE = "everyone"

AnyOf = tuple[str, list[str]]
"""A payload field, and the values of which one is enough."""


def point_id(chunk_id: str) -> str:
    """Return the UUID that stands for a chunk id; engines take no paths or Chinese names as ids."""
    return str(uuid.uuid5(_NAMESPACE, chunk_id))


def to_payload(chunk: Chunk) -> dict[str, Any]:
    """Return the chunk as JSON values, with the facets and groups that filters ask for."""
    payload = {field.name: getattr(chunk, field.name) for field in fields(chunk)}
    payload["section"] = list(chunk.section)
    payload["metadata"] = {
        key: list(value) if isinstance(value, tuple) else value for key, value in chunk.metadata.items()
    }
    payload[FACETS] = sorted(set(_facets(chunk)))
    payload[SEEN_BY] = [_group(name) for name in values_of(chunk, "visible_to")] or [_EVERYONE]
    return payload


def from_payload(payload: Mapping[str, Any]) -> Chunk:
    """Return the chunk that `to_payload` was given."""
    stored = {field.name: payload[field.name] for field in fields(Chunk) if field.name in payload}
    stored["section"] = tuple(stored["section"])
    stored["metadata"] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in stored["metadata"].items()
    }
    return Chunk(**stored)


def required(where: Filter) -> list[AnyOf]:
    """Return the conditions that a point must meet, all of them."""
    groups = [_EVERYONE, *(_group(name) for name in sorted(where.viewer))]
    facets = [(FACETS, [_facet(key, value) for value in values]) for key, values in where.equals.items()]
    return [(SEEN_BY, groups), *facets]


def excluded(where: Filter) -> list[AnyOf]:
    """Return the conditions of which a point must meet none."""
    return [(REVISION, sorted(where.exclude_revisions))] if where.exclude_revisions else []


def _facets(chunk: Chunk) -> Iterator[str]:
    for key in (*FIELDS, *chunk.metadata):
        for value in values_of(chunk, key):
            yield _facet(key, value)


def _facet(key: str, value: str) -> str:
    # `=` is escaped in the key alone: `a=b` with value `c` must differ from `a` with value `b=c`.
    return f"{key.replace('%', '%25').replace('=', '%3D')}={value}"


def _group(name: str) -> str:
    # The prefix keeps a group that is called "everyone" apart from no restriction at all.
    return f"group {name}"
