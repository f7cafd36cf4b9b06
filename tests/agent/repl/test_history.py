import os
import stat
from pathlib import Path

import pytest
from prompt_toolkit.history import FileHistory, InMemoryHistory

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
    assert mode(path) == 0o600
    open_history(path).store_string("病假？")
    assert lines(path) == ["病假？"]
    assert mode(path) == 0o600


def test_a_history_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    path = tmp_path / "chat_history"
    path.write_text(KEPT, encoding="utf-8")
    path.chmod(0o644)
    assert lines(path) == ["年假？"]
    assert mode(path) == 0o600


def test_bytes_that_are_no_text_are_said_once_and_the_good_lines_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "chat_history"
    path.write_bytes(KEPT.encode() + b"\xff\xfe\n+\xff?\n\x00\n" + KEPT.replace("年假", "病假").encode())
    assert lines(path) == ["病假？", "\ufffd?", "年假？"]
    assert capsys.readouterr().out == f"! some earlier inputs in {path} were no text; the others are kept\n"
    assert mode(path) == 0o600
    assert lines(path) == ["病假？", "\ufffd?", "年假？"]
    assert capsys.readouterr().out == ""
    assert list(tmp_path.iterdir()) == [path]


def test_a_history_that_cannot_be_used_is_said_and_done_without(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert isinstance(open_history(tmp_path), InMemoryHistory)
    assert capsys.readouterr().out == f"! earlier inputs are not kept: {tmp_path}: Is a directory\n"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads every file")
def test_a_history_that_may_not_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "chat_history"
    path.touch(mode=0)
    assert isinstance(open_history(path), InMemoryHistory)
    assert capsys.readouterr().out == f"! earlier inputs are not kept: {path}: Permission denied\n"


def test_a_history_in_a_folder_that_cannot_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    path = tmp_path / "file" / "chat_history"
    assert isinstance(open_history(path), InMemoryHistory)
    assert capsys.readouterr().out.startswith(f"! earlier inputs are not kept: {path}: ")
