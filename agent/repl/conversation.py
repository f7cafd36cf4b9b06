"""The conversation at a terminal: how questions are asked, and how answers are shown."""

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.style import Style
from rich.text import Text

from agent.assistant import Assistant
from agent.question import without_address
from agent.repl.texts import TEXTS, language_of_locale
from agent.view.text import SOURCES, body_text, event_text, printable, progress_text, source_line, waiting_text
from retrieval.text.writing import Language, language_of

if TYPE_CHECKING:
    from agent.answer import CitedAnswer


def write(text: str) -> None:
    """Write lines; nothing in them can steer the terminal."""
    sys.stdout.write(printable(text) + "\n")
    sys.stdout.flush()


def write_linked(text: str, source: str, page: int | None) -> None:
    """Write a line that is a link to the file of a document, where there is a file and a terminal that knows links."""
    _console().print(Text(printable(text), style=Style(link=_address_of(source, page))), soft_wrap=True)


def _console() -> Console:
    return Console(file=sys.stdout, highlight=False, markup=False, emoji=False)


def _address_of(source: str, page: int | None) -> str | None:
    # What is no name of a file, such as one that is too long, has no address.
    with suppress(OSError, ValueError):
        path = Path(source).absolute()
        if path.is_file():
            return f"{path.as_uri()}#page={page}" if page else path.as_uri()
    return None


REFRESHES_A_SECOND = 12
"""Tokens come faster than anybody reads."""
_KEPT_ROWS = 4
"""Rows of the screen that a draft leaves free, so that the region can be redrawn."""


class AnswerView:
    """Shows what is told while a question is answered; off a terminal, only the decisions when they are wanted."""

    def __init__(self, language: Language, *, verbose: bool) -> None:
        self._language = language
        self._verbose = verbose
        self._doing = waiting_text(language, writes=False)
        self._draft = ""
        self._number = 0
        self._console = _console()
        self._live = Live(
            console=self._console,
            get_renderable=self._region,
            refresh_per_second=REFRESHES_A_SECOND,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def __enter__(self) -> "AnswerView":
        if self._console.is_interactive:
            self._live.start(refresh=True)
        return self

    def __exit__(self, *_exception: object) -> None:
        self._live.stop()

    def event(self, event: dict[str, Any]) -> None:
        """Take a decision of the agent, or what it brought."""
        if self._verbose:
            # Above the region, as it is: wrapped by the terminal, so that it can be copied.
            self._console.print(printable(event_text(event)), soft_wrap=True)
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
        if self._live.is_started:
            self._live.refresh()

    def _region(self) -> RenderableType:
        columns, rows = self._console.size
        doing = Text(f"… {self._doing}", style="dim", no_wrap=True, overflow="ellipsis")
        text = Text(self._draft, style="dim")
        lines = list(text.wrap(self._console, max(columns - 1, 20))) if text else []
        return Group(*lines[-max(rows - _KEPT_ROWS, 1) :], doing)


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
        write(body_text(answer))
        if answer.citations:
            write(f"\n{SOURCES[self.language]}")
        for citation in answer.citations:
            write_linked(source_line(citation, self.language), citation.source, citation.page)
        write("")
