from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from agent.http.keys import KeyProblem, KeyStore, open_database
from agent.settings import Settings
from preprocessing.errors import FolioError


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


def test_a_file_that_is_no_database_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "http.db").write_bytes(b"no database at all" * 100)
    with pytest.raises(FolioError, match=r"http\.db: file is not a database; move it away") as caught:
        open_database(Settings(home=tmp_path))
    assert "\n" not in str(caught.value)
