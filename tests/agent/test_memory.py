from pathlib import Path

import pytest

from agent.memory import NO_HISTORY, SessionsError, SessionStore, Turn, approximate_tokens, as_history, as_turns


def test_turns_survive_and_never_mix(tmp_path: Path) -> None:
    first = Turn("年假有几天？", "12 天。[S1]", False, ({"label": "S1", "page": None},), "a" * 32)
    store = SessionStore.in_folder(tmp_path / "new" / "home")
    store.append("one", first)
    store.append("two", Turn("VPN?", "not there", refused=True))
    store.append("one", Turn("那病假呢？", "80%。[S1]"))
    store.close()

    store = SessionStore.in_folder(tmp_path / "new" / "home")
    assert store.turns("one") == [first, Turn("那病假呢？", "80%。[S1]")]
    assert store.turns("two") == [Turn("VPN?", "not there", refused=True)]
    assert store.turns("three") == []
    assert store.sessions() == ["one", "two"]
    store.append("two", Turn("𠮷", "✅\x00"))
    assert store.sessions() == ["two", "one"]
    assert store.turns("two")[1] == Turn("𠮷", "✅\x00")
    store.close()


def test_the_latest_fifty_turns_are_read() -> None:
    store = SessionStore.in_memory()
    for number in range(53):
        store.append("s", Turn(f"q{number}", "a"))
    assert [turn.question for turn in store.turns("s")] == [f"q{number}" for number in range(3, 53)]
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


def test_messages_become_turns() -> None:
    messages = [
        {"role": "assistant", "text": "您好！"},
        {"role": "user", "text": "年假？"},
        {"role": "assistant", "text": "12 天"},
        {"role": "user", "text": "病假？"},
    ]
    assert as_turns(messages) == [Turn("年假？", "12 天"), Turn("病假？", "")]


def test_history_holds_the_latest_turns_that_fit_without_labels() -> None:
    turns = [Turn("一", "a" * 400), Turn("二", "十二天。[S1]"), Turn("three", "[S2] four")]
    # "User: 二\nAssistant: 十二天。" is 5 wide characters, 。 among them, and 18 others: 5 + ceil(18 / 4) = 10 tokens.
    # "User: three\nAssistant: four" is 27 others: 7 tokens.
    both = "User: 二\nAssistant: 十二天。\nUser: three\nAssistant: four"
    assert as_history(turns, 17) == both
    assert as_history(turns, 16) == "User: three\nAssistant: four"
    assert as_history(turns, 6) == NO_HISTORY
    assert as_history([], 100) == NO_HISTORY


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("年假", 2), ("（１）", 3), ("𠮷a", 2)]
)
def test_tokens_are_counted_about(text: str, tokens: int) -> None:
    assert approximate_tokens(text) == tokens
