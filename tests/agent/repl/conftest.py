"""A conversation in this process, and the chat in a process of its own."""

import io
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agent.repl.conversation import Conversation
from agent.sessions.store import SessionStore
from agent.settings import Settings
from retrieval.knowledge_base import KnowledgeBase
from tests.agent.conftest import ANSWER, LEAVE, SEARCH, Scripted
from tests.agent.terminal import Terminal
from tests.fakes import CharacterEmbedder, copied

CHAT = """
import sys, time
from pathlib import Path
import agent.models.chat, retrieval.knowledge_base
from agent.cli import main
from tests.fakes import CharacterEmbedder, copied, ScriptedChatModel

class Model(ScriptedChatModel):
    def _stream(self, messages, stop=None, run_manager=None, **more):
        for piece in super()._stream(messages, stop, run_manager, **more):
            yield piece
            # A reply stops here and goes on when it is let.
            while "，" in str(piece.text) and not Path("go").exists():
                time.sleep(0.01)

def slow(messages):
    print("(at work)", flush=True)
    time.sleep(600)

REPLIES = {replies}
retrieval.knowledge_base.open_embedder = lambda model: CharacterEmbedder()
if REPLIES:
    agent.models.chat.open_chat_model = lambda settings, quoter: Model(replies=REPLIES)
sys.argv = ["folio", "chat", *{arguments!r}]
main()
"""
"""Without replies, the built-in model answers."""


@pytest.fixture(scope="session")
def document(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a document; beside it is a home that has it, which no test uses itself."""
    path = tmp_path_factory.mktemp("indexed") / "leave.md"
    path.write_text(LEAVE, encoding="utf-8")
    with KnowledgeBase.open(Settings(home=path.parent / "home"), embedder=CharacterEmbedder()) as knowledge_base:
        knowledge_base.ingest([path])
    return path


@pytest.fixture
def home(document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home with the document, and let this process use it."""
    monkeypatch.setattr("retrieval.knowledge_base.open_embedder", lambda _settings: CharacterEmbedder())
    monkeypatch.setenv("FOLIO_HOME", str(tmp_path / "home"))
    return copied(document.parent / "home", tmp_path / "home")


def asked(home: Path, session: str = "s") -> list[str]:
    """Return the questions that were stored."""
    sessions = SessionStore.in_folder(home)
    questions = [turn.question for turn in sessions.turns(session)]
    sessions.close()
    return questions


@pytest.fixture
def chat(home: Path, tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    """Return a function that opens the chat at a terminal, with a model that gives these replies."""
    opened: list[Terminal] = []

    def start(replies: str = repr([SEARCH, ANSWER]), *arguments: str, **environment: str) -> Terminal:
        code = CHAT.format(replies=replies, arguments=["--session", "s", *arguments])
        opened.append(
            Terminal(
                code, tmp_path, {"FOLIO_HOME": str(home), "FOLIO_RERANK": "none", "LC_ALL": "C.UTF-8", **environment}
            )
        )
        return opened[-1]

    yield start
    for terminal in opened:
        terminal.__exit__()


@pytest.fixture
def conversation(scripted: Scripted, monkeypatch: pytest.MonkeyPatch) -> Conversation:
    """Return a conversation of a person who speaks English so far."""
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    return Conversation(scripted(SEARCH, ANSWER), "s")


class TerminalText(io.StringIO):
    """Stands in for a terminal and keeps what is written to it."""

    @property
    def text(self) -> str:
        return self.getvalue()

    def isatty(self) -> bool:
        return True


@pytest.fixture
def on_screen(monkeypatch: pytest.MonkeyPatch) -> Callable[[], TerminalText]:
    """Return a function that puts a terminal of 40 columns and 8 rows in the place of standard output.

    It is called in the test: pytest sets standard output anew when a test begins.
    """

    def put() -> TerminalText:
        terminal = TerminalText()
        monkeypatch.setattr(sys, "stdout", terminal)
        for name, value in (("TERM", "xterm"), ("COLUMNS", "40"), ("LINES", "8")):
            monkeypatch.setenv(name, value)
        return terminal

    return put
