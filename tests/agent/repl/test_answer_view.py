from collections.abc import Callable

import pytest

from agent.repl.conversation import AnswerView
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


def frames(text: str) -> list[str]:
    """Return what each drawing of the region wrote, without the codes that move the cursor and set colours."""
    return [frame for frame in text.replace("\x1b[2m", "").replace("\x1b[0m", "").split(ERASE_LINE) if frame.strip()]


def test_progress_is_one_line_and_goes(on_screen: OnScreen) -> None:
    screen = on_screen()
    with AnswerView("zh", verbose=False) as view:
        assert "… 思考中" in screen.text
        view.event(ACTION)
        assert "… 搜索：年假 [2J" in screen.text
        assert "\n" not in screen.text
    assert screen.text.endswith((ERASE_LINE, "\x1b[?25h", "\r"))
    assert ERASE_LINE in screen.text.split("搜索")[-1]


def test_a_draft_is_shown_until_another_begins(on_screen: OnScreen) -> None:
    screen = on_screen()
    with AnswerView("zh", verbose=False) as view:
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
    assert "12 天" not in screen.text.rpartition(ERASE_LINE)[2]


def test_of_a_long_draft_the_end_is_shown(on_screen: OnScreen) -> None:
    screen = on_screen()
    with AnswerView("en", verbose=False) as view:
        view.draft(1, "\n".join(f"line {number}." for number in range(40)))
    last = frames(screen.text)[-1]
    assert "line 39." in screen.text
    assert "line 35." not in screen.text
    assert last.count("\n") < 8


@pytest.mark.parametrize("verbose", [True, False])
def test_off_a_terminal_only_decisions_are_written_when_they_are_wanted(
    capsys: pytest.CaptureFixture[str], verbose: bool
) -> None:
    with AnswerView("zh", verbose=verbose) as view:
        view.event(ACTION)
        view.draft(1, "年假")
    out = capsys.readouterr().out
    assert ("thought       要查。" in out) == verbose
    assert "\x1b" not in out
    assert bool(out) == verbose


def test_decisions_stand_above_the_draft(on_screen: OnScreen) -> None:
    screen = on_screen()
    with AnswerView("zh", verbose=True) as view:
        view.event(ACTION)
        view.draft(1, "年假 12 天。")
    assert screen.text.index("tool          knowledge_search") < screen.text.index("年假 12 天。")


def test_a_dumb_terminal_gets_no_codes(on_screen: OnScreen, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = on_screen()
    monkeypatch.setenv("TERM", "dumb")
    with AnswerView("zh", verbose=False) as view:
        view.event(ACTION)
        view.draft(1, "年假")
    assert screen.text == ""
