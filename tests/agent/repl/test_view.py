"""What the chat draws while a question is answered, and what it writes of documents."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.repl.conversation import AnswerView, write_linked
from tests.agent.repl.conftest import TerminalText

OnScreen = Callable[[], TerminalText]

ACTION = {
    "event": "action",
    "at_seconds": 0.1,
    "thought": "要查。",
    "tool": "knowledge_search",
    "input": "年假\n\x1b[2J",
}
ERASE_LINE = "\x1b[2K"


def test_progress_is_one_line_and_a_draft_is_shown_until_another_begins(on_screen: OnScreen) -> None:
    screen = on_screen()
    with AnswerView("zh", verbose=False) as view:
        assert "… 思考中" in screen.text
        view.event(ACTION)
        assert "… 搜索：年假 [2J" in screen.text
        assert "\n" not in screen.text
        view.draft(1, "年假")
        view.draft(1, " 10 天。")
        view.refresh()
        assert "年假 10 天。" in screen.text
        assert "正在写，尚未核对" in screen.text
        before = len(screen.text)
        view.draft(2, "年假 12 天。\x1b]0;title\x07")
        view.refresh()
        after = screen.text[before:]
        assert "年假 12 天。" in after
        assert "10 天" not in after
        assert "\x07" not in after
    assert screen.text.endswith((ERASE_LINE, "\x1b[?25h", "\r"))
    assert "12 天" not in screen.text.rpartition(ERASE_LINE)[2]


def test_a_dumb_terminal_gets_no_codes(on_screen: OnScreen, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    screen = on_screen()
    monkeypatch.setenv("TERM", "dumb")
    (tmp_path / "a.md").touch()
    with AnswerView("zh", verbose=False) as view:
        view.event(ACTION)
        view.draft(1, "年假")
    assert screen.text == ""
    write_linked("[S1] a.md", "a.md", None)
    assert screen.text == "[S1] a.md\n"


def test_a_source_that_is_a_file_is_a_link(on_screen: OnScreen, tmp_path: Path) -> None:
    screen = on_screen()
    (tmp_path / "休假 1.pdf").touch()
    uri = (tmp_path / "休假 1.pdf").as_uri()
    write_linked("[S1] 休假\x1b 1.pdf, whose name goes on for more columns", "休假 1.pdf", None)
    write_linked("S", str(tmp_path / "休假 1.pdf"), 3)
    for source in ("nosuch.pdf", "", ".", "x" * 5000, "a\x00b"):
        write_linked("[S1] x", source, 1)
    assert re.sub(r"\bid=\d+;", ";", screen.text).splitlines() == [
        f"\x1b]8;;{uri}\x1b\\[S1] 休假 1.pdf, whose name goes on for more columns\x1b]8;;\x1b\\",
        f"\x1b]8;;{uri}#page=3\x1b\\S\x1b]8;;\x1b\\",
        *["[S1] x"] * 5,
    ]
