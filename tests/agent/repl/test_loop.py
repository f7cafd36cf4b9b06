import io
import json
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from agent import cli
from tests.agent.conftest import ANSWER, SEARCH
from tests.agent.repl.conftest import asked
from tests.agent.terminal import BACKSPACE, CTRL_C, CTRL_D, ENTER, Terminal

Chat = Callable[..., Terminal]
Piped = Callable[..., str]
ALT_ENTER, UP = b"\x1b\r", b"\x1b[A"


# piped


@pytest.fixture
def piped(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Piped:
    """Return a function that pipes bytes into the chat and returns its output."""

    def run(given: bytes, *arguments: str) -> str:
        monkeypatch.setattr(sys, "argv", ["folio", "chat", "--session", "s", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), encoding="utf-8"))
        with pytest.raises(SystemExit) as exited:
            cli.main()
        assert not exited.value.code
        captured = capsys.readouterr()
        assert captured.err == ""
        assert "\x1b" not in captured.out
        return captured.out

    return run


def test_piped_lines_are_answered_one_by_one(piped: Piped, home: Path) -> None:
    lines = ["转正员工年假有几天？", "", " \u3000", "/nosuch", "VPN is it?", "/exit", "not asked"]
    out = piped("\n".join(lines).encode())
    assert out.startswith("以下是文档原文：\n转正员工年假 12 天。 [S1]\n\n来源：\n  [S1] ")
    assert "leave.md › 年假\n\n! 没有命令 /nosuch；/help 查看全部命令\n" in out
    assert asked(home) == ["转正员工年假有几天？", "VPN is it?"]


def test_piped_bytes_of_any_kind_are_read(piped: Piped, home: Path) -> None:
    assert piped(b"") == ""
    piped(b"\xef\xbb\xbf" + "年假？\r\n".encode() + b"\xff\xfe VPN\n" + "病假？".encode())
    assert asked(home) == ["年假？", "\ufffd\ufffd VPN", "病假？"]


def test_the_viewer_sees_what_is_theirs(piped: Piped, home: Path, tmp_path: Path) -> None:
    document = tmp_path / "board.md"
    document.write_text("---\nvisible_to: board\n---\n# 董事会\n\n董事会年假 30 天。\n", encoding="utf-8")
    assert "1 documents" in piped(f"/ingest {document}".encode())
    assert "30 天" not in piped("董事会年假有几天？".encode())
    assert "董事会年假 30 天。 [S1]" in piped("董事会年假有几天？".encode(), "--viewer", "board")


# at a terminal

WRITTEN = "Final Answer: 转正员工年假 12 天，[S1] 试用期员工年假 5 天。[S1]"


def test_a_chat_at_a_terminal(chat: Chat, home: Path, document: Path, tmp_path: Path) -> None:
    terminal = chat(f"[{SEARCH!r}, {WRITTEN!r}, {SEARCH!r}, slow, {SEARCH!r}, {ANSWER!r}]")
    terminal.wait_for("Folio: 1 documents, ")
    terminal.wait_for_prompt()

    # A Chinese character is one key to erase, whatever its bytes and columns.
    terminal.type("你们", BACKSPACE, BACKSPACE, "转正员工年假呢们", BACKSPACE, BACKSPACE, "？", ENTER)
    # The answer is shown while it is written.
    terminal.wait_for("搜索：转正员工年假")
    terminal.wait_for("转正员工年假 12 天，")
    terminal.wait_for("正在写，尚未核对")
    (tmp_path / "go").touch()
    terminal.wait_for("转正员工年假 12 天，[S1] 试用期员工年假 5 天。[S1]\r\n")
    terminal.wait_for("来源：")
    # The file of the source can be opened.
    terminal.wait_for(f";file://{document}\x1b\\  [S1] ")
    terminal.wait_for("leave.md › 年假\x1b]8;;\x1b\\")
    terminal.wait_for_prompt()

    terminal.type("病假呢？", ENTER)
    terminal.wait_for("(at work)")
    # Impatient people press it more than once.
    terminal.type(CTRL_C, CTRL_C, CTRL_C)
    terminal.wait_for("（已停止，对话继续）")
    terminal.wait_for_prompt()
    stopped = [json.loads(path.read_text(encoding="utf-8")) for path in (home / "traces").glob("*.json")]
    (record,) = [record for record in stopped if record["error"]]
    assert (record["question"], record["answer"], record["error"]) == ("病假呢？", None, "interrupted")
    assert asked(home) == ["转正员工年假？"]

    # A paste does not send the question at its first line's end, and Alt-Enter breaks a line.
    terminal.type("\x1b[200~第一行\n第二行\x1b[201~", ALT_ENTER, "第三行", ENTER)
    terminal.wait_for("转正员工年假 12 天。[S1]\r\n")
    terminal.wait_for_prompt()
    # What was typed is there again; three lines take three keys.
    terminal.type(UP * 5, ENTER)
    terminal.wait_for_prompt()

    # Tab completes a command.
    terminal.type("/he\t")
    terminal.wait_for("lp")
    terminal.type(ENTER)
    terminal.wait_for("/why-not 文档 [问题]")
    terminal.wait_for_prompt()

    terminal.type("half a quest", CTRL_C)
    terminal.wait_for("（按 Ctrl-D 或输入 /exit 退出）")
    terminal.wait_for_prompt()
    # Ctrl-D in a line erases, and neither leaves nor sends.
    terminal.type("VPN", b"\x1b[D", CTRL_D, CTRL_D, b"\xff\xfe", ENTER)
    terminal.wait_for_prompt()
    terminal.type(CTRL_D)
    assert terminal.wait_for_end() == 0
    assert "Traceback" not in terminal.output
    first, pasted, again, last = asked(home)
    assert (first, pasted, again) == ("转正员工年假？", "第一行\n第二行\n第三行", "转正员工年假？")
    assert last.startswith("VP")
    assert "N" not in last
    assert stat.S_IMODE((home / "chat_history").stat().st_mode) == 0o600


AT_THE_PROMPT = """
import sys, prompt_toolkit
from agent.cli import main

def leave(self):
    heavy = {"torch", "sentence_transformers", "qdrant_client", "langchain_openai", "mcp", "fastapi"}
    print("at the prompt", sorted(heavy & set(sys.modules)))
    raise EOFError

prompt_toolkit.PromptSession.prompt = leave
sys.argv = ["folio", "chat"]
main()
"""


def test_nothing_heavy_stands_before_the_prompt(tmp_path: Path) -> None:
    # A Terminal has no HOME unless it is given one; none is needed.
    model = {"OPENAI_BASE_URL": "http://localhost:1/v1", "FOLIO_CHAT_MODEL": "m"}
    with Terminal(AT_THE_PROMPT, tmp_path, model) as terminal:
        terminal.wait_for("at the prompt []")
        assert terminal.wait_for_end() == 0
        assert "Traceback" not in terminal.output
    assert (tmp_path / ".folio" / "chat_history").is_file()
