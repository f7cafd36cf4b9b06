"""The conversation at a terminal: how questions are asked, and how answers are shown."""

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TextIO
from uuid import uuid4

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from agent.assistant import Assistant
from agent.question import without_address
from agent.repl.texts import TEXTS, language_of_locale
from agent.view.text import SOURCES, body_text, event_text, printable, progress_text, source_line, waiting_text
from retrieval.text.folding import Language, language_of

if TYPE_CHECKING:
    from agent.answer import CitedAnswer


def write(text: str) -> None:
    """Write lines; nothing in them can steer the terminal."""
    write_raw(printable(text) + "\n")


def write_raw(text: str) -> None:
    """Write text that was made for the terminal."""
    sys.stdout.write(text)
    sys.stdout.flush()


def is_terminal(stream: TextIO) -> bool:
    """Say whether the stream is a terminal that understands more than text."""
    return stream.isatty() and os.environ.get("TERM", "") != "dumb"


def linked(text: str, source: str, page: int | None) -> str:
    """Return the text as a link to the file of a document (OSC 8); as it is where there is no file or no terminal.

    A terminal that knows no links shows the text alone.
    """
    text = printable(text)
    if not is_terminal(sys.stdout):
        return text
    try:
        path = Path(source).absolute()
        if not path.is_file():
            return text
    except (OSError, ValueError):
        # What is no name of a file, such as one that is too long.
        return text
    place = f"{path.as_uri()}#page={page}" if page else path.as_uri()
    return f"\x1b]8;;{place}\x1b\\{text}\x1b]8;;\x1b\\"


REFRESHES_A_SECOND = 12
"""Tokens come faster than anybody reads."""
_KEPT_ROWS = 4
"""Rows of the screen that a draft leaves free, so that the region can be redrawn."""


class AnswerView:
    """Shows what is told while a question is answered; off a terminal, only the decisions when they are wanted."""

    def __init__(self, language: Language, *, verbose: bool) -> None:
        self._language = language
        self._verbose = verbose
        self._live: Live | None = None
        self._doing = waiting_text(language, writes=False)
        self._draft = ""
        self._number = 0

    def __enter__(self) -> "AnswerView":
        if is_terminal(sys.stdout):
            console = Console(file=sys.stdout, highlight=False, markup=False, emoji=False)
            self._live = Live(
                console=console,
                get_renderable=self._region,
                refresh_per_second=REFRESHES_A_SECOND,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start(refresh=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._live.stop()

    def event(self, event: dict[str, Any]) -> None:
        """Take a decision of the agent, or what it brought."""
        if self._verbose and self._live:
            # Above the region, as it is: wrapped by the terminal, so that it can be copied.
            self._live.console.print(printable(event_text(event)), soft_wrap=True)
        elif self._verbose:
            write(event_text(event))
        self._doing = printable(progress_text(event, self._language))
        self.refresh()

    def draft(self, number: int, text: str) -> None:
        """Take a piece of a draft; a higher number makes all before it void."""
        if number != self._number:
            self._number, self._draft = number, ""
            self._doing = waiting_text(self._language, writes=True)
        self._draft += printable(text)

    def refresh(self) -> None:
        """Draw the region now; it is drawn often enough by itself."""
        if self._live:
            self._live.refresh()

    def _region(self) -> RenderableType:
        columns, rows = shutil.get_terminal_size()
        doing = Text(f"… {self._doing}", style="dim", no_wrap=True, overflow="ellipsis")
        if not self._draft or not self._live:
            return doing
        lines = Text(self._draft, style="dim").wrap(self._live.console, max(columns - 1, 20))
        return Group(*list(lines)[-max(rows - _KEPT_ROWS, 1) :], doing)


def new_session() -> str:
    """Return a name for a new conversation."""
    return uuid4().hex[:12]


@dataclass(slots=True)
class Conversation:
    """One person's conversation; commands change it."""

    assistant: Assistant
    session: str = field(default_factory=new_session)
    verbose: bool = False
    viewer: Sequence[str] = ()
    """Groups of the person who asks."""
    filters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    as_of: date | None = None
    language: Language = field(default_factory=language_of_locale)
    """Of the last question, and before it of the person's environment."""
    question: str = ""
    """The last one that was answered."""
    answer: "CitedAnswer | None" = None

    def say(self, key: str, **values: object) -> str:
        """Return a message of the chat itself, in the language of the conversation."""
        return TEXTS[self.language][key].format(**values)

    def begin(self, session: str) -> None:
        """Go on in another session."""
        self.session, self.question, self.answer = session, "", None

    def ask(self, message: str) -> None:
        """Answer a question and show the answer with its sources."""
        question = without_address(message)
        self.language = language_of(question)
        with AnswerView(self.language, verbose=self.verbose) as view:
            answer = self.assistant.ask(
                question,
                self.session,
                listen=view.event,
                on_draft=view.draft,
                filters=self.filters,
                viewer=self.viewer,
                as_of=self.as_of,
            )
        self.question, self.answer = question, answer
        self._show(answer)

    def _show(self, answer: "CitedAnswer") -> None:
        write(body_text(answer))
        if answer.citations:
            write(f"\n{SOURCES[self.language]}")
        for citation in answer.citations:
            line = source_line(citation, self.language)
            write_raw(linked(line, citation.source, citation.page) + "\n")
        write("")
        sys.stdout.flush()
