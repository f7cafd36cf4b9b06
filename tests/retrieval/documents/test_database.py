"""Databases of both kinds: opened by several at once, and whatever text is kept in them."""

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
import sqlalchemy as sa

from retrieval.documents.database import PlainText, open_database, with_driver

ROOT = Path(__file__).parents[2]
NewDatabase = Callable[[], str]


def made_tables(columns: int = 1) -> sa.MetaData:
    tables = sa.MetaData()
    for number in range(4):
        more = [sa.Column(f"text{column}", PlainText) for column in range(columns)]
        sa.Table(f"table{number}", tables, sa.Column("id", sa.Integer, primary_key=True, autoincrement=True), *more)
    return tables


def test_several_may_add_what_an_earlier_version_lacked_at_once(new_database: NewDatabase) -> None:
    url, ready = new_database(), Barrier(8)
    open_database(url, made_tables()).dispose()

    def open_() -> list[str]:
        ready.wait()
        engine = open_database(url, made_tables(columns=3))
        names = [column["name"] for column in sa.inspect(engine).get_columns("table3")]
        engine.dispose()
        return names

    with ThreadPoolExecutor(8) as pool:
        opened = [pool.submit(open_) for _ in range(8)]
        assert all(one.result() == ["id", "text0", "text1", "text2"] for one in opened)


START = """
import sys
from retrieval.documents.catalogue import Catalogue
from agent.memory import SessionStore
sys.stdin.read()
Catalogue(sys.argv[1]).write_manifest(embed_model="m")
SessionStore.at(sys.argv[1]).sessions()
"""


def test_processes_may_start_at_once(new_database: NewDatabase) -> None:
    url = new_database()
    environment = {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", START, url]
    started = [subprocess.Popen(command, stdin=subprocess.PIPE, env=environment) for _ in range(3)]
    for process in started:
        assert process.stdin
        process.stdin.close()
    assert [process.wait(60) for process in started] == [0, 0, 0]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("年假，（１）✅𠮷", "年假，（１）✅𠮷"),
        ("a\0b", "a\ufffdb"),
        ("half \ud83d", "half \ufffd"),
        (None, None),
        ("", ""),
    ],
)
def test_every_text_can_be_kept(new_database: NewDatabase, written: str | None, read: str | None) -> None:
    tables = made_tables()
    engine = open_database(new_database(), tables)
    table = tables.tables["table0"]
    with engine.begin() as connection:
        connection.execute(sa.insert(table).values(text0=written))
        assert connection.execute(sa.select(table.c.text0)).scalar_one() == read
    engine.dispose()


@pytest.mark.parametrize(
    ("given", "driver"),
    [
        ("postgres://me:p%40ss@db/folio", "postgresql+psycopg"),
        ("postgresql://me@db/folio", "postgresql+psycopg"),
        ("postgresql+asyncpg://me@db/folio", "postgresql+asyncpg"),
        ("sqlite:///x.db", "sqlite"),
    ],
)
def test_an_address_without_a_driver_gets_the_one_that_is_installed(given: str, driver: str) -> None:
    url = with_driver(given)
    assert url.drivername == driver
    assert url.password == ("p@ss" if "p%40ss" in given else None)
