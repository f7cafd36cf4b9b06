"""Where uploads are, as the servers on one database see it."""

import os
import platform
from collections.abc import Callable, Iterator

import pytest
import sqlalchemy as sa

from agent.http.keys import tables
from agent.http.keys import uploads as table
from agent.http.uploads import LOST, Upload, UploadStates
from retrieval.documents.database import open_database

NOBODY = 2**22 + 1
"""No process has so high a number on Linux."""


@pytest.fixture
def engine(new_database: Callable[[], str]) -> Iterator[sa.Engine]:
    opened = open_database(new_database(), tables)
    yield opened
    opened.dispose()


@pytest.mark.parametrize(
    ("host", "process", "status", "is_lost"),
    [
        ("here", NOBODY, "running", True),
        ("here", NOBODY, "waiting", True),
        ("here", NOBODY, "done", False),
        # The number is given again: in a container it is always the same.
        ("here", os.getpid(), "running", True),
        ("here", os.getppid(), "running", False),
        ("far", NOBODY, "running", False),
    ],
    # Numbers of processes would name the tests otherwise in each process that runs a part of them.
    ids=["ended", "ended-waiting", "ended-done", "same", "alive", "elsewhere"],
)
def test_what_a_server_left_behind_is_given_up(
    engine: sa.Engine, host: str, process: int, status: str, is_lost: bool
) -> None:
    states, upload = UploadStates(engine), Upload("1" * 32, "key", "a.md")
    states.begin(upload)
    name = platform.node() if host == "here" else host
    with engine.begin() as connection:
        connection.execute(sa.update(table).values(host=name, process=process, status=status))
    states.give_up_lost()
    found = states.find(upload.id)
    assert found
    assert (found.status, found.failure) == (("failed", LOST) if is_lost else (status, None))


def test_without_news_for_a_day_it_is_lost_and_after_a_week_forgotten(engine: sa.Engine) -> None:
    states, upload = UploadStates(engine), Upload("1" * 32, "key", "a.md")
    states.begin(upload)
    for days, expected in ((0.9, "waiting"), (1.1, "failed")):
        with engine.begin() as connection:
            connection.execute(sa.update(table).values(updated_at=table.c.updated_at - days * 86_400))
        found = states.find(upload.id)
        assert found
        assert found.status == expected
        with engine.begin() as connection:
            connection.execute(sa.update(table).values(updated_at=table.c.updated_at + days * 86_400))
    with engine.begin() as connection:
        connection.execute(sa.update(table).values(updated_at=table.c.updated_at - 8 * 86_400))
    states.begin(Upload("2" * 32, "key", "b.md"))
    assert states.find(upload.id) is None
