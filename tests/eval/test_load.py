"""A few users for a moment; the soak is all of them for a minute."""

import pytest

from eval.load import Load, load_table, percentile, run_load
from eval.load_users import Request


@pytest.mark.parametrize(
    ("values", "share", "expected"),
    [([3.0], 0.95, 3.0), ([4.0, 1.0, 3.0, 2.0], 0.5, 2.0), ([float(n) for n in range(1, 101)], 0.95, 95.0)],
)
def test_a_percentile_is_one_of_the_values(values: list[float], share: float, expected: float) -> None:
    assert percentile(values, share) == expected


def test_the_table_says_what_went_wrong() -> None:
    requests = [
        Request("chat", 1.0, 200),
        Request("chat", 3.0, 429),
        Request("search", 0.5, 503, "away"),
        Request("upload", 2.0, 0, "ReadError: "),
    ]
    load = Load(2, 5, requests, (100.0, 120.4, 121.0), 3, ["a.md"], ["ok", "degraded", "ok"], 1)
    lines = load_table(load).splitlines()
    assert lines[0] == "2 users for 5 s: 4 requests, 2 errors other than 429, 1 times 429"
    assert lines[4:7] == [
        "| chat   |        2 |      0 | 1.00 s | 3.00 s |  3.00 s |",
        "| search |        1 |      1 | 0.50 s | 0.50 s |  0.50 s |",
        "| upload |        1 |      1 | 2.00 s | 2.00 s |  2.00 s |",
    ]
    assert lines[8:] == [
        "memory 100 MiB at the start, 120 half way, 121 at the end",
        "3 uploads acknowledged, 1 not as acknowledged afterwards",
        "health: 3 looks, 1 not ok {'degraded': 1}",
        "errors in the log of the server: 1",
        "lost: a.md",
        "error: 1 × search 503: away",
        "error: 1 × upload 0: ReadError: ",
    ]


@pytest.mark.enable_socket
@pytest.mark.parametrize(
    ("users", "seconds"), [(6, 3.0), pytest.param(32, 60.0, marks=pytest.mark.soak)], ids=["short", "soak"]
)
def test_nothing_is_lost_and_nothing_fails(users: int, seconds: float) -> None:
    load = run_load(users, seconds)
    print(load_table(load))  # noqa: T201  the figures of the soak are for people
    assert (load.errors, load.lost, load.faults) == ([], [], 0)
    assert set(load.health) == {"ok"}
    assert {request.kind for request in load.requests} >= {"chat", "search"}
