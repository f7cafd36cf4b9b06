"""A hit as a trace keeps it: whole, so that the question can be answered again without the index."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from preprocessing.document import Chunk
from retrieval.hit import Hit, LegScore


def hit_record(hit: Hit) -> dict[str, Any]:
    """Return the hit as JSON."""
    return asdict(hit)


def read_hit(record: Mapping[str, Any]) -> Hit:
    """Return the hit of a record. Raises KeyError or TypeError for one that is none."""
    chunk = dict(record["chunk"])
    chunk["section"] = tuple(chunk["section"])
    chunk["metadata"] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in chunk["metadata"].items()
    }
    legs = {leg: LegScore(**place) for leg, place in record["legs"].items()}
    return Hit(**{**record, "chunk": Chunk(**chunk), "legs": legs, "also_in": tuple(record["also_in"])})
