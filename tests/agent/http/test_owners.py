"""Whose each session is, on each kind of database."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from agent.http.keys import NOBODY, SessionOwners, open_database
from agent.memory import SessionStore, Turn
from agent.settings import Settings


@pytest.fixture
def processes(new_database: Callable[[], str], tmp_path: Path) -> Iterator[list[SessionOwners]]:
    """Return the owners as two processes see them that share a database."""
    settings = Settings(home=tmp_path, database_url=new_database())  # type: ignore[arg-type]
    engines = [open_database(settings) for _ in range(2)]
    stores = [SessionStore.of(settings) for _ in range(2)]
    stores[0].append("terminal", Turn("q", "a"))
    yield [SessionOwners(engine, store) for engine, store in zip(engines, stores, strict=True)]
    for engine, store in zip(engines, stores, strict=True):
        engine.dispose()
        store.close()


def test_what_one_process_began_is_its_owners_in_the_other(processes: list[SessionOwners]) -> None:
    here, there = processes
    assert here.claim("s", "desk")
    assert there.owns("s", "desk")
    assert there.claim("s", "desk")
    assert not there.claim("s", "other")
    assert not there.owns("s", "other")
    assert (there.claim("terminal", NOBODY), there.claim("terminal", "desk")) == (True, False)


def test_the_sessions_of_an_owner_are_listed_the_latest_first(processes: list[SessionOwners]) -> None:
    here, there = processes
    for session in ("first", "second"):
        here.claim(session, "desk")
        here._sessions.append(session, Turn("q", "a"))
    assert there.sessions_of("desk") == ["second", "first"]
    assert there.sessions_of(NOBODY) == ["terminal"]


def test_of_many_who_begin_a_session_at_once_one_has_it(processes: list[SessionOwners]) -> None:
    for number in range(10):
        ready = Barrier(8)

        def claim(place: int, session: str = f"s{number}", ready: Barrier = ready) -> bool:
            ready.wait()
            return processes[place % 2].claim(session, f"key{place}")

        with ThreadPoolExecutor(8) as pool:
            assert sum(pool.map(claim, range(8))) == 1
