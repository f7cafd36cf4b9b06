from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
import sqlalchemy as sa

from agent.http.keys import KeyProblem, KeyStore, SessionOwners, open_database
from agent.sessions.store import SessionStore
from agent.sessions.turn import Turn
from agent.settings import Settings


@pytest.fixture
def engine(new_database: Callable[[], str], tmp_path: Path) -> Iterator[sa.Engine]:
    opened = open_database(Settings(home=tmp_path, database_url=new_database()))  # type: ignore[arg-type]
    yield opened
    opened.dispose()


def test_a_key_is_found_by_what_its_owner_sends_and_by_nothing_else(engine: sa.Engine) -> None:
    keys = KeyStore(engine)
    assert not keys.were_made()
    key, written = keys.add("前台", "write", ["HR", "board，it"])
    _, other = keys.add("other")
    assert keys.find(written) == key
    assert (key.name, key.role, key.groups, key.revoked_at) == ("前台", "write", ("hr", "board", "it"), None)
    assert keys.were_made()
    mixed = written[:19] + other[19:]
    for wrong in ("", "folio_", written[:-1], written + "x", written.upper(), mixed, "folio_000000000000_" + "a" * 43):
        assert keys.find(wrong) is None


def test_no_secret_is_kept(tmp_path: Path) -> None:
    engine = open_database(Settings(home=tmp_path / "home"))
    _, written = KeyStore(engine).add("desk")
    engine.dispose()
    secret = written.split("_", 2)[2]
    stored = b"".join(path.read_bytes() for path in (tmp_path / "home").iterdir())
    assert b"desk" in stored
    assert secret.encode() not in stored
    assert written.encode() not in stored


@pytest.mark.parametrize("by", ["name", "id"])
def test_a_revoked_key_is_refused_and_its_name_is_free_again(engine: sa.Engine, by: str) -> None:
    keys = KeyStore(engine)
    key, written = keys.add("desk")
    assert keys.revoke(getattr(key, by)).id == key.id
    assert keys.find(written) is None
    assert keys.were_made()
    again, _ = keys.add("desk")
    assert [(known.id, known.revoked_at is None) for known in keys.all() if known.id in (key.id, again.id)] == [
        (key.id, False),
        (again.id, True),
    ] or again.id < key.id
    with pytest.raises(KeyProblem, match="no key in use is called 'nosuch'; folio keys list shows them"):
        keys.revoke("nosuch")


@pytest.mark.parametrize(
    ("name", "role", "message"),
    [
        ("", "read", "'' is no name for a key; a right one is reception-desk"),
        ("a\nb", "read", "is no name for a key"),
        ("x" * 65, "read", "is no name for a key"),
        ("desk", "owner", "there is no role 'owner'; choose one of read, write, admin"),
        ("taken", "read", "there is a key 'taken' already; revoke it first: folio keys revoke taken"),
    ],
)
def test_what_cannot_be_a_key(engine: sa.Engine, name: str, role: str, message: str) -> None:
    keys = KeyStore(engine)
    keys.add("taken")
    with pytest.raises(KeyProblem) as caught:
        keys.add(name, role)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(keys.all()) == 1


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


def test_of_many_who_begin_a_session_at_once_one_has_it(processes: list[SessionOwners]) -> None:
    for number in range(10):
        ready = Barrier(8)

        def claim(place: int, session: str = f"s{number}", ready: Barrier = ready) -> bool:
            ready.wait()
            return processes[place % 2].claim(session, f"key{place}")

        with ThreadPoolExecutor(8) as pool:
            assert sum(pool.map(claim, range(8))) == 1
