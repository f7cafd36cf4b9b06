"""Rows of differing lengths in one array: postings by term, terms by row, JSON by chunk."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Ragged:
    """Row i is `values[starts[i]:starts[i + 1]]`."""

    values: Array
    starts: NDArray[np.int64]
    """Shape (rows + 1,)."""

    @classmethod
    def of(cls, values: Array, sizes: Array) -> Self:
        """Cut the values into rows of these sizes."""
        starts = np.zeros(len(sizes) + 1, np.int64)
        np.cumsum(sizes, out=starts[1:])
        return cls(values, starts)

    @classmethod
    def of_bytes(cls, rows: Sequence[bytes]) -> Self:
        """Put byte strings one after another."""
        return cls.of(np.frombuffer(b"".join(rows), np.uint8), np.fromiter(map(len, rows), np.int64, len(rows)))

    @classmethod
    def of_rows(cls, rows: Sequence[Sequence[int]], dtype: DTypeLike) -> Self:
        """Put numbers one after another."""
        return cls.of(np.array([*chain.from_iterable(rows)], dtype), np.fromiter(map(len, rows), np.int64, len(rows)))

    @classmethod
    def join(cls, parts: Sequence["Ragged"]) -> Self:
        """Put the rows of several one after another."""
        return cls.of(np.concatenate([part.values for part in parts]), np.concatenate([part.sizes() for part in parts]))

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, row: int) -> Array:
        return self.values[self.starts[row] : self.starts[row + 1]]

    def sizes(self) -> NDArray[np.int64]:
        """Return the length of each row."""
        return np.diff(self.starts)

    def any(self, found: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Say of each row whether one of its values is found."""
        result = np.zeros(len(self), bool)
        result[np.searchsorted(self.starts, np.flatnonzero(found), "right") - 1] = True
        return result

    def take(self, rows: Array) -> "Ragged":
        """Return these rows, in this order."""
        taken = Ragged.of(self.values, self.sizes()[rows])
        places = np.arange(taken.starts[-1]) + np.repeat(self.starts[rows] - taken.starts[:-1], taken.sizes())
        return Ragged(self.values[places], taken.starts)
