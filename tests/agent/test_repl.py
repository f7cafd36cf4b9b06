import io
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import BaseMessage
from prompt_toolkit.history import FileHistory, InMemoryHistory

import retrieval.knowledge_base
from agent import cli
from agent.assistant import Assistant
from agent.memory import SessionStore
from agent.repl import Repl, Status, fitting, open_history
from agent.settings import Settings
from preprocessing.errors import FolioError
from retrieval.knowledge_base import KnowledgeBase
from tests.agent.conftest import LEAVE
from tests.agent.terminal import BACKSPACE, CTRL_C, CTRL_D, ENTER, Terminal
from tests.fakes import CharacterEmbedder

SEARCH = "Thought: 要查。\nAction: knowledge_search\nAction Input: 转正员工年假"
ANSWER = "Thought: 有了。\nFinal Answer: 转正员工年假 12 天。[S1]"
Scripted = Callable[..., Assistant]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home with one document."""
    monkeypatch.setattr(retrieval.knowledge_base, "open_embedder", lambda _model: CharacterEmbedder())
    monkeypatch.setenv("FOLIO_HOME", str(tmp_path / "home"))
    document = tmp_path / "leave.md"
    document.write_text(LEAVE, encoding="utf-8")
    with KnowledgeBase.open(Settings(home=tmp_path / "home")) as knowledge_base:
        knowledge_base.ingest([document])
    return tmp_path / "home"


def asked(home: Path, session: str = "s") -> list[str]:
    """Return the questions that were stored."""
    sessions = SessionStore.in_folder(home)
    questions = [turn.question for turn in sessions.turns(session)]
    sessions.close()
    return questions


# commands, without a terminal


def test_commands(scripted: Scripted, capsys: pytest.CaptureFixture[str]) -> None:
    repl = Repl(scripted(SEARCH, ANSWER), "s", verbose=False)

    def say(text: str) -> str:
        repl.handle(text)
        return capsys.readouterr().out

    assert say("/help").splitlines()[0].startswith("/help ")
    assert say("/sessions") == "none yet\n"
    assert say("/sources") == "the last answer has no sources\n"
    assert say("/trace") == "nothing was asked yet\n"
    assert say("/nosuch thing") == "! there is no command /nosuch; /help lists them\n"

    answer = say("转正员工年假有几天？")
    assert answer.startswith("转正员工年假 12 天。[S1]\n\n来源：\n  [S1] ")
    assert answer.endswith("leave.md › 年假\n\n")
    assert say("/sources").endswith("leave.md\n转正员工年假 12 天。\n")
    assert say("/trace").startswith("question   转正员工年假有几天？\n")
    assert say("/sessions") == "s\n"

    begun = say("/new")
    assert begun.startswith("session ")
    assert say("/sources") == "the last answer has no sources\n"
    assert say("/trace") == "nothing was asked yet\n"
    say("VPN?")
    assert say("/sessions") == f"{begun.removeprefix('session ').strip()}\ns\n"


def test_an_error_is_one_line_and_the_chat_goes_on(scripted: Scripted, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupt(_messages: list[BaseMessage]) -> str:
        raise KeyboardInterrupt

    assistant = scripted(FolioError("the model is away"), interrupt, SEARCH, ANSWER)
    Repl(assistant, "s", verbose=False).loop(["年假？\n", "年假？\n", "转正员工年假？\n"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[:4] == ["! the model is away", "", "(stopped; the conversation goes on)", "转正员工年假 12 天。[S1]"]
    assert [turn.question for turn in assistant.sessions.turns("s")] == ["转正员工年假？"]


def test_a_defect_keeps_its_stack_trace(scripted: Scripted) -> None:
    with pytest.raises(ZeroDivisionError):
        Repl(scripted(ZeroDivisionError()), "s", verbose=False).handle("年假？")


def test_verbose_shows_each_decision(scripted: Scripted, capsys: pytest.CaptureFixture[str]) -> None:
    Repl(scripted(SEARCH, ANSWER), None, verbose=True).handle("转正员工年假？")
    out = capsys.readouterr().out
    parts = ["thought       要查。", "tool          knowledge_search", "observation", "finish        有了。", "来源："]
    assert sorted(parts, key=out.index) == parts


# piped


@pytest.fixture
def piped(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[[bytes], str]:
    """Return a function that pipes bytes into the chat and returns its output."""

    def run(given: bytes) -> str:
        monkeypatch.setattr(sys, "argv", ["folio", "chat", "--session", "s"])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), encoding="utf-8"))
        with pytest.raises(SystemExit) as exited:
            cli.main()
        assert not exited.value.code
        captured = capsys.readouterr()
        assert captured.err == ""
        assert "\x1b" not in captured.out
        return captured.out

    return run


def test_piped_lines_are_answered_one_by_one(piped: Callable[[bytes], str], home: Path) -> None:
    lines = ["转正员工年假有几天？", "", " \u3000", "/nosuch", "VPN is it?", "/exit", "not asked"]
    out = piped("\n".join(lines).encode())
    assert "转正员工年假 12 天。 [S1]" in out
    assert "\n! there is no command /nosuch; /help lists them\n" in out
    assert asked(home) == ["转正员工年假有几天？", "VPN is it?"]


def test_nothing_piped_ends_at_once(piped: Callable[[bytes], str], home: Path) -> None:
    assert piped(b"") == ""
    assert asked(home) == []


def test_piped_bytes_of_any_kind_are_read(piped: Callable[[bytes], str], home: Path) -> None:
    piped(b"\xef\xbb\xbf" + "年假？\r\n".encode() + b"\xff\xfe VPN\n" + "病假？".encode())
    assert asked(home) == ["年假？", "\ufffd\ufffd VPN", "病假？"]


# history


def test_the_history_is_read_whatever_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "chat_history"
    path.write_bytes("\n# 2026-01-01 00:00:00.0\n+年假？\n".encode() + b"\xff\xfe\n+\xff?\n\x00\n")
    history = open_history(path)
    assert isinstance(history, FileHistory)
    assert list(history.load_history_strings()) == ["\ufffd?", "年假？"]
    history.store_string("\udcff病假？")
    assert next(iter(history.load_history_strings())) == "?病假？"


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


# the line that says what is being done


@pytest.mark.parametrize(
    ("columns", "shown"), [(0, ""), (1, "a"), (2, "a"), (3, "a年"), (4, "a年"), (5, "a年假"), (9, "a年假b")]
)
def test_a_chinese_character_takes_two_columns(columns: int, shown: str) -> None:
    assert fitting("a年假b", columns) == shown


def test_the_status_fits_one_line_and_goes(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "12")
    status = Status(enabled=True)
    status.show("knowledge_search: 年假\n\x1b[2J")
    status.show("年假年假年假")
    status.clear()
    assert capsys.readouterr().out == "\r\x1b[K… knowledge\r\x1b[K… 年假年假\r\x1b[K"
    quiet = Status(enabled=False)
    quiet.show("x")
    quiet.clear()
    assert capsys.readouterr().out == ""


# at a terminal

CHAT = """
import sys, time
import agent.assistant, retrieval.knowledge_base
from agent.cli import main
from tests.fakes import CharacterEmbedder, ScriptedChatModel

def slow(messages):
    print("(at work)", flush=True)
    time.sleep(600)

REPLIES = {replies}
retrieval.knowledge_base.open_embedder = lambda model: CharacterEmbedder()
agent.assistant.open_chat_model = lambda settings, quoter: ScriptedChatModel(replies=REPLIES)
sys.argv = ["folio", "chat", "--session", "s"]
main()
"""


@pytest.fixture
def chat(home: Path, tmp_path: Path) -> Iterator[Callable[[str], Terminal]]:
    """Return a function that opens the chat at a terminal, with a model that gives these replies."""
    opened: list[Terminal] = []

    def start(replies: str) -> Terminal:
        opened.append(Terminal(CHAT.format(replies=replies), tmp_path, {"FOLIO_HOME": str(home)}))
        return opened[-1]

    yield start
    for terminal in opened:
        terminal.__exit__()


def test_a_chat_at_a_terminal(chat: Callable[[str], Terminal], home: Path) -> None:
    terminal = chat(repr([SEARCH, ANSWER]))
    terminal.wait_for("Folio: 1 documents, ")
    terminal.wait_for_prompt()

    # A Chinese character is one key to erase, whatever its bytes and columns.
    terminal.type("你们", BACKSPACE, BACKSPACE, "转正员工年假呢们", BACKSPACE, BACKSPACE, "？", ENTER)
    terminal.wait_for("转正员工年假 12 天。[S1]")
    terminal.wait_for("来源：")
    terminal.wait_for_prompt()

    # A paste does not send the question at its first line's end.
    terminal.type("\x1b[200~第一行\n第二行\x1b[201~", ENTER)
    terminal.wait_for_prompt()

    terminal.type("half a quest", CTRL_C)
    terminal.wait_for("(Ctrl-D or /exit leaves)")
    terminal.wait_for_prompt()
    terminal.type(b"\xff\xfe", "VPN", ENTER)
    terminal.wait_for_prompt()
    terminal.type(CTRL_D)
    assert terminal.wait_for_end() == 0
    assert "Traceback" not in terminal.output
    first, second, third = asked(home)
    assert (first, second) == ("转正员工年假？", "第一行\n第二行")
    assert third.endswith("VPN")

    # What was typed is there again next time; the paste takes two keys, one for each line.
    again = chat(repr([SEARCH, ANSWER]))
    again.wait_for_prompt()
    again.type("\x1b[A" * 4, ENTER)
    again.wait_for_prompt()
    again.type("/exit", ENTER)
    assert again.wait_for_end() == 0
    assert asked(home)[3:] == ["转正员工年假？"]


def test_ctrl_c_stops_an_answer_and_nothing_else(chat: Callable[[str], Terminal], home: Path) -> None:
    terminal = chat(f"[{SEARCH!r}, slow, {SEARCH!r}, {ANSWER!r}]")
    terminal.wait_for_prompt()
    terminal.type("病假呢？", ENTER)
    terminal.wait_for("(at work)")
    terminal.type(CTRL_C)
    terminal.wait_for("(stopped; the conversation goes on)")
    terminal.wait_for_prompt()
    assert asked(home) == []
    (trace,) = (home / "traces").glob("*.json")
    record: dict[str, Any] = json.loads(trace.read_text(encoding="utf-8"))
    assert (record["question"], record["answer"], record["error"]) == ("病假呢？", None, "interrupted")
    assert [event["event"] for event in record["events"]] == ["action", "observation"]

    terminal.type("转正员工年假？", ENTER)
    terminal.wait_for("转正员工年假 12 天。[S1]")
    terminal.wait_for_prompt()
    terminal.type(CTRL_D)
    assert terminal.wait_for_end() == 0
    assert asked(home) == ["转正员工年假？"]


@pytest.mark.parametrize("kind", ["folder", "bytes"])
def test_a_broken_history_does_not_stop_the_chat(chat: Callable[[str], Terminal], home: Path, kind: str) -> None:
    path = home / "chat_history"
    if kind == "folder":
        path.mkdir()
    else:
        path.write_bytes(b"+\xff\n\x00\xfe")
    terminal = chat(repr([SEARCH, ANSWER]))
    terminal.wait_for_prompt()
    terminal.type("转正员工年假？", ENTER)
    terminal.wait_for("转正员工年假 12 天。[S1]")
    terminal.wait_for_prompt()
    terminal.type(CTRL_D)
    assert terminal.wait_for_end() == 0
    assert ("! earlier inputs are not kept" in terminal.output) == (kind == "folder")
    assert "Traceback" not in terminal.output


AT_THE_PROMPT = """
import sys, prompt_toolkit
from agent.cli import main

def leave(self, text):
    heavy = {"torch", "sentence_transformers", "qdrant_client", "langchain_openai"} & set(sys.modules)
    print("at", text, sorted(heavy))
    raise EOFError

prompt_toolkit.PromptSession.prompt = leave
sys.argv = ["folio", "chat"]
main()
"""


@pytest.mark.parametrize("model", [{}, {"OPENAI_BASE_URL": "http://localhost:1/v1", "FOLIO_CHAT_MODEL": "m"}])
def test_nothing_heavy_stands_before_the_prompt(tmp_path: Path, model: dict[str, str]) -> None:
    with Terminal(AT_THE_PROMPT, tmp_path, {"FOLIO_HOME": str(tmp_path / "home"), **model}) as terminal:
        terminal.wait_for("at >  []")
        assert terminal.wait_for_end() == 0
        assert "Traceback" not in terminal.output
