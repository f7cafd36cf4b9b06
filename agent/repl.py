"""The chat: a prompt, an answer with its sources, and a few commands."""

import shutil
import sys
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from prompt_toolkit import PromptSession
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.utils import get_cwidth

from agent.assistant import Assistant
from agent.settings import OFFLINE, Settings
from agent.show import answer_text, event_text, print_trace, printable
from preprocessing.errors import FolioError

if TYPE_CHECKING:
    from agent.answer import CitedAnswer

HELP = """\
/help      this list                     /sources   passages of the last answer, word for word
/new       begin a new conversation      /trace     decisions behind the last answer
/sessions  conversations so far          /exit      leave (also Ctrl-D)
Ctrl-C stops an answer and keeps the conversation."""


class Repl:
    """One conversation at a terminal."""

    def __init__(self, assistant: Assistant, session: str | None, *, verbose: bool) -> None:
        self._assistant = assistant
        self._session = session or new_session()
        self._verbose = verbose
        self._last: CitedAnswer | None = None

    def loop(self, lines: Iterable[str]) -> None:
        """Answer each line until there are no more; stops at /exit."""
        for line in lines:
            # Some shells begin what they pipe with a byte-order mark.
            text = line.lstrip("\ufeff").strip()
            if text in ("/exit", "/quit"):
                return
            if text:
                self.handle(text)

    def handle(self, text: str) -> None:
        """Run a command or answer a question; what a person can mend is one line."""
        try:
            if text.startswith("/"):
                self._command(text)
            else:
                self._answer(text)
        except FolioError as error:
            write(f"! {error}")
        except KeyboardInterrupt:
            write("\n(stopped; the conversation goes on)")

    def _answer(self, question: str) -> None:
        status = Status(enabled=sys.stdout.isatty() and not self._verbose)
        try:
            self._last = self._assistant.ask(question, self._session, listen=self._listen(status))
        finally:
            status.clear()
        write(answer_text(question, self._last) + "\n")

    def _listen(self, status: "Status") -> Any:
        if self._verbose:
            return lambda event: write(event_text(event))
        return lambda event: status.show(f"{event['tool']}: {event['input']}" if event["event"] == "action" else "…")

    def _command(self, text: str) -> None:
        # Imported late, with LangChain, which the prompt must not wait for.
        from agent.trace import read_trace

        match text.split()[0]:
            case "/help":
                write(HELP)
            case "/new":
                self._session, self._last = new_session(), None
                write(f"session {self._session}")
            case "/sessions":
                write("\n".join(self._assistant.sessions.sessions()) or "none yet")
            case "/sources":
                write("\n\n".join(self._sources()) or "the last answer has no sources")
            case "/trace":
                if self._last:
                    print_trace(read_trace(self._assistant.settings.home / "traces", self._last.trace_id))
                else:
                    write("nothing was asked yet")
            case unknown:
                raise FolioError(f"there is no command {unknown}; /help lists them")

    def _sources(self) -> list[str]:
        citations = self._last.citations if self._last else ()
        return [f"[{citation.label}] {citation.source}\n{citation.quote}" for citation in citations]


class Status:
    """One line that says what is being done, and is gone when the answer comes."""

    def __init__(self, *, enabled: bool) -> None:
        self._enabled = enabled

    def show(self, text: str) -> None:
        """Replace the line."""
        if self._enabled:
            width = shutil.get_terminal_size().columns - 1
            sys.stdout.write(f"\r\x1b[K{fitting('… ' + ' '.join(printable(text).split()), width)}")
            sys.stdout.flush()

    def clear(self) -> None:
        """Remove the line."""
        if self._enabled:
            sys.stdout.write("\r\x1b[K")
            sys.stdout.flush()


def run_repl(settings: Settings, session: str | None, *, verbose: bool) -> None:
    """Chat at the terminal; piped input is answered line by line."""
    with Assistant.open(settings) as assistant:
        repl = Repl(assistant, session, verbose=verbose)
        if not sys.stdin.isatty():
            repl.loop(sys.stdin)
            return
        # What the first question needs is loaded while the person reads and types.
        threading.Thread(target=assistant.warm, daemon=True).start()
        write(banner(settings, assistant))
        repl.loop(prompted(settings.home / "chat_history"))


def prompted(history_file: Path) -> Iterable[str]:
    """Yield what is typed, until Ctrl-D. A pasted text of several lines is one question."""
    prompt: PromptSession[str] = PromptSession(history=open_history(history_file))
    while True:
        try:
            yield prompt.prompt("> ")
        except KeyboardInterrupt:
            write("(Ctrl-D or /exit leaves)")
        except EOFError:
            return


def open_history(path: Path) -> History:
    """Open the file of earlier inputs; one that cannot be used is said once and done without."""
    try:
        with path.open("ab"):
            pass
        path.read_bytes()
    except OSError as error:
        write(f"! earlier inputs are not kept: {path}: {error.strerror}")
        return InMemoryHistory()
    return FileHistory(str(path))


def banner(settings: Settings, assistant: Assistant) -> str:
    """Return what stands above the first prompt."""
    documents = len(assistant.knowledge_base.documents())
    name = settings.chat_model_name
    model = "the built-in offline model, which quotes and does not write" if name == OFFLINE else name
    return f"Folio: {documents} documents, {model}. Ask in Chinese or English; /help for more."


def fitting(text: str, columns: int) -> str:
    """Return the longest beginning of the text that fits in so many columns; a Chinese character takes two."""
    shown, left = "", columns
    for character in text:
        left -= get_cwidth(character)
        if left < 0:
            break
        shown += character
    return shown


def new_session() -> str:
    """Return a name for a new conversation."""
    return uuid4().hex[:12]


def write(text: str) -> None:
    """Write a line to the terminal."""
    sys.stdout.write(printable(text) + "\n")
    sys.stdout.flush()
