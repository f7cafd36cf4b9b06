"""What stands around a question at the prompt: the file of earlier inputs, and Ctrl-C."""

import os
import signal
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from prompt_toolkit.history import FileHistory, InMemoryHistory

from agent.repl import loop
from agent.repl.loop import Interrupts
from agent.repl.prompt import open_history

KEPT = "\n# 2026-01-01 00:00:00.0\n+年假？\n"


def lines(path: Path) -> list[str]:
    history = open_history(path)
    assert isinstance(history, FileHistory)
    return list(history.load_history_strings())


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_history_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "home" / "chat_history"
    before = os.umask(0)
    try:
        assert lines(path) == []
    finally:
        os.umask(before)
    open_history(path).store_string("病假？")
    assert lines(path) == ["病假？"]
    assert mode(path) == 0o600


def test_a_history_that_others_could_read_is_closed_to_them_whatever_is_in_it(tmp_path: Path) -> None:
    path = tmp_path / "chat_history"
    path.write_bytes(KEPT.encode() + b"\xff\xfe\n+\xff?\n\x00\n" + KEPT.replace("年假", "病假").encode())
    path.chmod(0o644)
    assert lines(path) == ["病假？", "\ufffd?", "年假？"]
    assert mode(path) == 0o600


@pytest.mark.parametrize(("name", "problem"), [("", "Is a directory"), ("file/chat_history", "File exists")])
def test_a_history_that_cannot_be_used_is_said_and_done_without(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, problem: str
) -> None:
    (tmp_path / "file").touch()
    assert isinstance(open_history(tmp_path / name), InMemoryHistory)
    assert capsys.readouterr().out == f"! earlier inputs are not kept: {tmp_path / name}: {problem}\n"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return a clock of one value, which tests set."""
    now = [100.0]
    monkeypatch.setattr(loop.time, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def installed() -> Iterator[Interrupts]:
    before = signal.getsignal(signal.SIGINT)
    made = Interrupts()
    with made.installed():
        yield made
    assert signal.getsignal(signal.SIGINT) == before


def test_ctrl_c_stops_what_allows_it_and_an_impatient_second_is_the_same_one(
    installed: Interrupts, clock: list[float]
) -> None:
    signal.raise_signal(signal.SIGINT)
    with installed.allowed():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        clock[0] += 0.9
        # While things are put in order.
        signal.raise_signal(signal.SIGINT)
        clock[0] += 0.2
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    clock[0] += 2
    signal.raise_signal(signal.SIGINT)
