from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa

from agent.sessions.store import SessionsError, SessionStore
from agent.sessions.turn import EARLIER, NO_HISTORY, OUT_OF_DATE, Turn, as_history
from agent.settings import Settings
from preprocessing.errors import FolioError

NewDatabase = Callable[[], str]


@pytest.fixture
def url(new_database: NewDatabase) -> str:
    """Return the address of an empty database, of each kind."""
    return new_database()


@pytest.fixture
def store(url: str) -> Iterator[SessionStore]:
    store = SessionStore.at(url)
    yield store
    store.close()


def test_turns_survive_and_never_mix(url: str) -> None:
    first = Turn("年假有几天？", "12 天。[S1]", False, ({"label": "S1", "page": None},), "a" * 32)
    store = SessionStore.at(url)
    store.append("one", first)
    store.append("two", Turn("VPN?", "not there", refused=True))
    store.append("one", Turn("那病假呢？", "80%。[S1]"))
    store.close()

    store = SessionStore.at(url)
    assert store.turns("one") == [first, Turn("那病假呢？", "80%。[S1]")]
    assert store.turns("two") == [Turn("VPN?", "not there", refused=True)]
    assert store.turns("three") == []
    assert store.sessions() == ["one", "two"]
    # No NUL can be kept everywhere.
    store.append("two", Turn("𠮷", "✅\x00", citations=({"quote": "a\x00\ud83d"},)))
    assert store.sessions() == ["two", "one"]
    assert store.turns("two")[1] == Turn("𠮷", "✅\ufffd", citations=({"quote": "a\x00\ud83d"},))
    store.close()


def test_an_answer_to_groups_is_for_those_who_are_in_all_of_them(store: SessionStore) -> None:
    store.append("s", Turn("all", "a"))
    store.append("s", Turn("hr", "a", viewer=("hr",)))
    store.append("s", Turn("both", "a", viewer=("hr", "it")))
    assert [turn.question for turn in store.turns("s", ())] == ["all"]
    assert [turn.question for turn in store.turns("s", ("hr",))] == ["all", "hr"]
    assert [turn.question for turn in store.turns("s", ("it", "hr"))] == ["all", "hr", "both"]
    assert len(store.turns("s")) == 3


def test_many_write_at_once_and_nothing_is_lost(url: str) -> None:
    stores = [SessionStore.at(url) for _ in range(2)]

    def talk(number: int) -> None:
        store, session = stores[number % 2], f"s{number % 8}"
        for step in range(5):
            store.append(session, Turn(f"{number}.{step}", session))
            assert {turn.answer for turn in store.turns(session)} == {session}

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(talk, range(16)))
    for place in range(8):
        asked = [turn.question for turn in stores[0].turns(f"s{place}")]
        assert sorted(asked) == sorted(f"{number}.{step}" for number in (place, place + 8) for step in range(5))
    for store in stores:
        store.close()


def test_sessions_of_an_earlier_version_get_what_they_lack(url: str) -> None:
    store = SessionStore.at(url)
    store.append("s", Turn("q", "a"))
    with store._engine.begin() as connection:
        connection.execute(sa.text("ALTER TABLE turns DROP COLUMN stale"))
    store.close()
    store = SessionStore.at(url)
    assert store.turns("s") == [Turn("q", "a")]
    store.close()


@pytest.mark.parametrize("kind", ["broken", "folder"])
def test_a_file_that_is_no_database_is_one_line(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "sessions.db"
    if kind == "folder":
        path.mkdir()
    else:
        path.write_bytes(b"\xff not a database" * 100)
    with pytest.raises(SessionsError) as caught:
        SessionStore.in_folder(tmp_path)
    problem = "unable to open database file" if kind == "folder" else "file is not a database"
    assert str(caught.value) == f"{path}: {problem}; move it away to begin with no conversations"


def test_a_database_that_is_not_there_is_one_line_without_the_password(tmp_path: Path) -> None:
    url = "postgresql://folio:secret-word@127.0.0.1:9/folio"
    with pytest.raises(
        FolioError, match=r"^FOLIO_DATABASE_URL.*folio:\*\*\*@127.*/folio cannot be used: .*refused"
    ) as told:
        SessionStore.of(Settings(home=tmp_path, database_url=url))  # type: ignore[arg-type]
    assert "secret-word" not in str(told.value)
    assert "\n" not in str(told.value)


def test_history_holds_the_latest_turns_that_fit_without_labels() -> None:
    turns = [Turn("一", "a" * 400), Turn("二", "十二天。[S1]"), Turn("three", "[S2] four")]
    # "User: 二\nAssistant: 十二天。" is 5 wide characters, 。 among them, and 18 others: 5 + ceil(18 / 4) = 10 tokens.
    # "User: three\nAssistant: four" is 27 others: 7 tokens.
    both = "User: 二\nAssistant: 十二天。\nUser: three\nAssistant: four"
    assert as_history(turns, 17) == f"{EARLIER}\n{both}"
    assert as_history(turns, 16) == f"{EARLIER}\nUser: three\nAssistant: four"
    assert as_history(turns, 6) == EARLIER
    assert as_history(turns[1:], 17) == both
    assert as_history([], 100) == NO_HISTORY


def test_an_answer_that_no_longer_holds_is_not_shown_to_the_model() -> None:
    turns = [Turn("a", "12 days", stale="void"), Turn("b", "5 days", stale="changed")]
    assert as_history(turns, 100) == f"User: a\nAssistant: {OUT_OF_DATE}\nUser: b\nAssistant: 5 days"
