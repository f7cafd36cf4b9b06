"""What filters ask of chunks, by row, so that a condition is decided for all rows without decoding a chunk."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from retrieval.inverted_index.keys import key_of
from retrieval.inverted_index.ragged import Array, Ragged
from retrieval.store.conditions import AnyOf, Between, Condition
from retrieval.store.payload import FACETS, MEASURES, OTHER_MEASURES, SEEN_BY


@dataclass(frozen=True, slots=True, eq=False)
class Facets:
    """Facets, groups and measures of payloads; see `retrieval.store.payload`."""

    names: Ragged
    """Facets and groups as UTF-8; the same one may be there several times."""
    of_row: Ragged
    """Places in `names` of what each row has."""
    measured: Ragged
    """Key of what was measured, for each row."""
    measures: NDArray[np.float64]
    """The measures, in the order of `measured.values`."""

    @classmethod
    def of(cls, payloads: Iterable[Mapping[str, Any]]) -> Self:
        """Take what payloads have of facets, groups and measures."""
        numbers: dict[bytes, int] = {}
        of_row, measured, measures = [], [], []
        for payload in payloads:
            names = [
                name.encode("utf-8", "surrogatepass") for field in (FACETS, SEEN_BY) for name in payload.get(field, ())
            ]
            of_row.append([numbers.setdefault(name, len(numbers)) for name in names])
            found = [
                (f"{MEASURES}.{key}", value) for key, values in payload.get(MEASURES, {}).items() for value in values
            ]
            found += [(_named(OTHER_MEASURES, one["name"]), one["value"]) for one in payload.get(OTHER_MEASURES, ())]
            measured.append([key_of(name) for name, _ in found])
            measures += [value for _, value in found]
        return cls(
            Ragged.of_bytes(list(numbers)),
            Ragged.of_rows(of_row, np.int32),
            Ragged.of_rows(measured, np.uint64),
            np.array(measures, np.float64),
        )

    @classmethod
    def join(cls, tables: Sequence["Facets"]) -> Self:
        """Put the rows of several one after another."""
        offsets = accumulate((len(table.names) for table in tables), initial=0)
        of_row = [
            Ragged(table.of_row.values + np.int32(offset), table.of_row.starts)
            for table, offset in zip(tables, offsets, strict=False)
        ]
        return cls(
            Ragged.join([table.names for table in tables]),
            Ragged.join(of_row),
            Ragged.join([table.measured for table in tables]),
            np.concatenate([table.measures for table in tables]),
        )

    def take(self, rows: Array) -> "Facets":
        """Return these rows, in this order."""
        of_row = self.of_row.take(rows)
        used, places = np.unique(of_row.values, return_inverse=True)
        return Facets(
            self.names.take(used),
            Ragged(places.astype(np.int32), of_row.starts),
            self.measured.take(rows),
            Ragged(self.measures, self.measured.starts).take(rows).values,
        )

    def meets(self, condition: Condition) -> NDArray[np.bool_]:
        """Say of each row whether it meets a condition on facets, groups or measures."""
        if isinstance(condition, Between):
            low = -np.inf if condition.low is None else condition.low
            high = np.inf if condition.high is None else condition.high
            found = self.measured.values == np.uint64(key_of(_named(condition.field, condition.name)))
            return self.measured.any(found & (self.measures >= low) & (self.measures <= high))
        named = np.zeros(len(self.names), bool)
        for value in condition.values:
            named[self._beginning(value, whole=True)] = True
        for value in condition.beginnings:
            named[self._beginning(value, whole=False)] = True
        return self.of_row.any(named[self.of_row.values]) if named.any() else np.zeros(len(self.of_row), bool)

    def _beginning(self, text: str, *, whole: bool) -> NDArray[np.intp]:
        """Return the places of the names that begin with the text, or are no more than that."""
        wanted, sizes = text.encode("utf-8", "surrogatepass"), self.names.sizes()
        places = np.flatnonzero(sizes == len(wanted) if whole else sizes >= len(wanted))
        for offset, byte in enumerate(wanted):
            places = places[self.names.values[self.names.starts[places] + offset] == byte]
        return places


def decided(condition: Condition) -> bool:
    """Say whether a condition is on something that facets have."""
    return isinstance(condition, Between) or (isinstance(condition, AnyOf) and condition.field in (FACETS, SEEN_BY))


def _named(field: str, name: str | None) -> str:
    return field if name is None else f"{field} {name}"
