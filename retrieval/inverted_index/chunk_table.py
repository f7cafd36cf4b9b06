"""The indexed chunks without their text, kept as bytes until a filter asks for one."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import accumulate
from operator import attrgetter
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from preprocessing.document import Chunk
from retrieval.filters import FIELDS, Filter, values_of
from retrieval.inverted_index.facets import Facets, decided
from retrieval.inverted_index.keys import key_of, keys_of
from retrieval.inverted_index.ragged import Array, Ragged
from retrieval.ranges import KINDS, measures_of
from retrieval.store.conditions import AnyOf, excluded, required
from retrieval.store.payload import FACETS, MEASURES, REVISION, facet, from_payload, to_payload

OWN: Mapping[str, Any] = {"chunk_id": "", "index": 0, "section": (), "page": None, "page_end": None}
"""Fields in which chunks of one document differ, and blanks for them; the others are kept once for all that agree."""
SHARED = [name for name in (field.name for field in fields(Chunk)) if name not in (*OWN, "text")]

_SHARED_VALUES, _OWN_VALUES = attrgetter(*SHARED), attrgetter(*OWN)
_OWN_FACETS = [name for name in OWN if name in FIELDS]
_OWN_MEASURES = [name for name in OWN if name in KINDS]
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True, eq=False)
class ChunkTable:
    """Chunks without their text, by row."""

    shared: Ragged
    """JSON of what chunks of one document have in common."""
    shared_facets: Facets
    revisions: NDArray[np.uint64]
    """Key of the revision that each row of `shared` names."""
    shared_of: NDArray[np.int32]
    """Row of `shared` for each chunk."""
    own: Ragged
    """JSON of the `OWN` fields of each chunk."""
    own_facets: Facets
    _decoded: dict[int, Chunk] = field(default_factory=dict)

    @classmethod
    def of(cls, chunks: Iterable[Chunk]) -> Self:
        """Write down the chunks."""
        shared: dict[bytes, Chunk] = {}
        numbers: dict[bytes, int] = {}
        own, shared_of, own_payloads = [], [], []
        values: tuple[Any, ...] = ()
        for chunk in chunks:
            before, values = values, _SHARED_VALUES(chunk)
            # Chunks of one document mostly follow each other.
            if values != before:
                in_common = _json(dict(zip(SHARED, values, strict=True)))
                shared.setdefault(in_common, chunk)
                number = numbers.setdefault(in_common, len(numbers))
            shared_of.append(number)
            own.append(_json(_OWN_VALUES(chunk)))
            own_payloads.append(_own_payload(chunk))
        return cls(
            shared=Ragged.of_bytes(list(shared)),
            shared_facets=Facets.of(to_payload(replace(chunk, **OWN)) for chunk in shared.values()),
            revisions=keys_of(chunk.revision for chunk in shared.values()),
            shared_of=np.array(shared_of, np.int32),
            own=Ragged.of_bytes(own),
            own_facets=Facets.of(own_payloads),
        )

    @classmethod
    def join(cls, tables: Sequence["ChunkTable"]) -> Self:
        """Put the chunks of several tables one after another."""
        offsets = accumulate((len(table.shared) for table in tables), initial=0)
        shared_of = [table.shared_of + np.int32(offset) for table, offset in zip(tables, offsets, strict=False)]
        return cls(
            shared=Ragged.join([table.shared for table in tables]),
            shared_facets=Facets.join([table.shared_facets for table in tables]),
            revisions=np.concatenate([table.revisions for table in tables]),
            shared_of=np.concatenate(shared_of),
            own=Ragged.join([table.own for table in tables]),
            own_facets=Facets.join([table.own_facets for table in tables]),
        )

    def take(self, rows: Array) -> "ChunkTable":
        """Return these chunks, in this order."""
        wanted, shared_of = np.unique(self.shared_of[rows], return_inverse=True)
        return ChunkTable(
            shared=self.shared.take(wanted),
            shared_facets=self.shared_facets.take(wanted),
            revisions=self.revisions[wanted],
            shared_of=shared_of.astype(np.int32),
            own=self.own.take(rows),
            own_facets=self.own_facets.take(rows),
        )

    def __len__(self) -> int:
        return len(self.shared_of)

    def rows_of(self, revision: str) -> NDArray[np.intp]:
        """Return the rows of one document state."""
        wanted = np.flatnonzero(self.revisions == np.uint64(key_of(revision)))
        return np.flatnonzero(np.isin(self.shared_of, wanted)) if len(wanted) else wanted

    def chunk_id(self, row: int) -> str:
        """Return the id of a chunk."""
        return str(self._own(row)["chunk_id"])

    def chunk(self, row: int) -> Chunk:
        """Return a chunk without its text."""
        own, number = self._own(row), int(self.shared_of[row])
        if number not in self._decoded:
            self._decoded[number] = from_payload(json.loads(self.shared[number].tobytes()) | OWN | {"text": ""})
        return replace(self._decoded[number], **own | {"section": tuple(own["section"])})

    def may_pass(self, where: Filter) -> NDArray[np.bool_]:
        """Say of each row whether it meets all conditions of the filter that can be decided without decoding a chunk.

        What the filter allows may pass; whether it allows what may pass is for the filter to say.
        """
        shared, own = np.ones(len(self.shared), bool), np.ones(len(self), bool)
        for condition in excluded(where):
            if isinstance(condition, AnyOf) and condition.field == REVISION:
                shared &= ~np.isin(self.revisions, keys_of(condition.values))
        for condition in filter(decided, required(where)):
            in_common = self.shared_facets.meets(condition)
            if not in_common.all():
                own &= in_common[self.shared_of] | self.own_facets.meets(condition)
        return own if shared.all() else own & shared[self.shared_of]

    def _own(self, row: int) -> dict[str, Any]:
        return dict(zip(OWN, json.loads(self.own[row].tobytes()), strict=True))


def _own_payload(chunk: Chunk) -> dict[str, Any]:
    return {
        FACETS: [facet(name, value) for name in _OWN_FACETS for value in values_of(chunk, name)],
        MEASURES: {name: measures_of(chunk, name, KINDS[name]) for name in _OWN_MEASURES},
    }


def _json(value: Any) -> bytes:
    return _ENCODER.encode(value).encode("utf-8", "surrogatepass")
