"""A few users for a moment; the soak is all of them for a minute."""

import pytest

from eval.bench.load import Load, figures, load_table, run_load, told
from eval.bench.users import Request
from eval.runs.run import new_run


def test_the_table_says_what_went_wrong() -> None:
    requests = [
        Request("chat", 1.0, 200),
        Request("chat", 3.0, 429),
        Request("search", 0.5, 503, "away"),
        Request("upload", 2.0, 0, "ReadError: "),
    ]
    load = Load(2, 5, requests, (100.0, 120.4, 121.0), 3, ["a.md"], ["ok", "degraded", "ok"], 1)
    run = new_run("load", {}, list(figures(load)), statistics=figures(load))
    lines = load_table(run).splitlines()
    assert lines[0] == "4 requests, 2 errors other than 429"
    assert [line.replace(" ", "") for line in lines[4:7]] == [
        "|chat|2|0|1.00|3.00|3.00|",
        "|search|1|1|0.50|0.50|0.50|",
        "|upload|1|1|2.00|2.00|2.00|",
    ]
    assert "too many 1, MiB at the start 100, MiB half way 120, MiB at the end 121, acknowledged 3, lost 1" in lines[-1]
    assert told(load) == [
        "lost: a.md",
        "error: 1 × search 503: away",
        "error: 1 × upload 0: ReadError: ",
        "health: 1 × degraded",
    ]


@pytest.mark.enable_socket
@pytest.mark.parametrize(
    ("users", "seconds"), [(6, 3.0), pytest.param(32, 60.0, marks=pytest.mark.soak)], ids=["short", "soak"]
)
def test_nothing_is_lost_and_nothing_fails(users: int, seconds: float) -> None:
    load = run_load(users, seconds)
    print(figures(load))  # noqa: T201  the figures of the soak are for people
    assert (load.errors, load.lost, load.faults) == ([], [], 0)
    assert set(load.health) == {"ok"}
    assert {request.kind for request in load.requests} >= {"chat", "search"}
