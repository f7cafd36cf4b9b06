from collections.abc import Callable
from pathlib import Path

import pytest

from agent.repl.conversation import linked, write
from tests.agent.repl.conftest import TerminalText

OnScreen = Callable[[], TerminalText]


def test_text_steers_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    write("a\x1b[2J\x07b\rc\n年假")
    assert capsys.readouterr().out == "a[2Jbc\n年假\n"


def test_a_source_that_is_a_file_is_a_link(on_screen: OnScreen, tmp_path: Path) -> None:
    on_screen()
    (tmp_path / "休假 1.pdf").touch()
    uri = (tmp_path / "休假 1.pdf").as_uri()
    assert uri.isascii()
    assert linked("[S1] 休假\x1b 1.pdf", "休假 1.pdf", None) == f"\x1b]8;;{uri}\x1b\\[S1] 休假 1.pdf\x1b]8;;\x1b\\"
    assert linked("S", str(tmp_path / "休假 1.pdf"), 3) == f"\x1b]8;;{uri}#page=3\x1b\\S\x1b]8;;\x1b\\"


@pytest.mark.parametrize("source", ["nosuch.pdf", "", ".", "x" * 5000, "a\x00b"])
def test_what_is_no_file_is_no_link(on_screen: OnScreen, source: str) -> None:
    on_screen()
    assert linked("[S1] x", source, 1) == "[S1] x"


def test_there_are_no_links_off_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "a.md").touch()
    assert linked("[S1] a.md", "a.md", None) == "[S1] a.md"
