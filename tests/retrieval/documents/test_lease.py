"""Who may write: one at a time, for as long as it lives."""

import os
import platform
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from retrieval.documents import lease
from retrieval.documents.lease import Lease, WriterBusy
from retrieval.documents.schema import leases, tables

NOBODY = 2**22 + 1
"""No process has so high a number on Linux."""


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[sa.Engine]:
    made = sa.create_engine(f"sqlite:///{tmp_path / 'catalogue.db'}")
    tables.create_all(made)
    yield made
    made.dispose()


def held_by(engine: sa.Engine, host: str, process: int, expires_at: float) -> None:
    with engine.begin() as connection:
        row = {"name": "writer", "token": "other", "host": host, "process": process, "expires_at": expires_at}
        connection.execute(sa.insert(leases).values(**row))


def holders(engine: sa.Engine) -> list[tuple[str, int]]:
    with engine.connect() as connection:
        return [(row.host, row.process) for row in connection.execute(sa.select(leases))]


def test_it_is_held_and_let_go(engine: sa.Engine) -> None:
    for _ in range(2):
        with Lease(engine).writing():
            assert holders(engine) == [(platform.node(), os.getpid())]
            with pytest.raises(WriterBusy, match=f"^process {os.getpid()} on .+ is changing the documents: wait"):
                Lease(engine).writing().__enter__()
        assert holders(engine) == []


@pytest.mark.parametrize(
    ("host", "process", "ahead", "free"),
    [
        ("far", 1, 60, False),
        ("far", 1, -1, True),
        ("here", NOBODY, 60, True),
        ("here", os.getppid(), 60, False),
        ("here", 1, 60, False),
    ],
)
def test_who_is_gone_is_not_waited_for(engine: sa.Engine, host: str, process: int, ahead: float, free: bool) -> None:
    name = platform.node() if host == "here" else host
    held_by(engine, name, process, time.time() + ahead)
    if free:
        with Lease(engine).writing():
            assert holders(engine) == [(platform.node(), os.getpid())]
    else:
        with pytest.raises(WriterBusy, match=f"^process {process} on {name} is changing"):
            Lease(engine).writing().__enter__()
        assert holders(engine) == [(name, process)]


def test_it_is_renewed_while_the_work_goes_on(engine: sa.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "_RENEWED_EVERY", 0.01)
    with Lease(engine).writing():
        with engine.begin() as connection:
            connection.execute(sa.update(leases).values(expires_at=0.0))
        renewed = threading.Event()
        for _ in range(1000):
            with engine.connect() as connection:
                if connection.execute(sa.select(leases.c.expires_at)).scalar_one() > time.time():
                    renewed.set()
                    break
            time.sleep(0.01)
        assert renewed.is_set()
