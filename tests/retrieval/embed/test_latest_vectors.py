"""As many vectors as there is room for, and no two callers share one."""

import numpy as np

from retrieval.embed.base import Vectors
from retrieval.embed.latest_vectors import LatestVectors


def vector(value: float) -> Vectors:
    return np.array([value], dtype=np.float32)


def test_the_longest_unused_is_forgotten() -> None:
    latest = LatestVectors(2)
    latest.keep({"年假": vector(1), "病假": vector(2)})
    assert latest.of(["年假"])["年假"].tolist() == [1]
    latest.keep({"事假": vector(3)})
    assert sorted(latest.of(["年假", "病假", "事假"])) == sorted(["年假", "事假"])


def test_what_a_caller_does_to_a_vector_stays_with_it() -> None:
    latest, own = LatestVectors(2), vector(1)
    latest.keep({"a": own})
    own[:] = 9
    latest.of(["a"])["a"][:] = 8
    assert latest.of(["a"])["a"].tolist() == [1]


def test_more_than_there_is_room_for_keeps_the_last() -> None:
    latest = LatestVectors(1)
    latest.keep({"a": vector(1), "b": vector(2)})
    assert list(latest.of(["a", "b"])) == ["b"]
