"""The conversation at a terminal: where it stands, and how its questions are asked."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING
from uuid import uuid4

from agent.addressed import without_address
from agent.assistant import Assistant
from agent.language import Language, language_of
from agent.repl.answer_view import AnswerView
from agent.repl.output import linked, write, write_raw
from agent.repl.texts import language_of_locale
from agent.show import SOURCES, body_text, source_line

if TYPE_CHECKING:
    from agent.answer import CitedAnswer


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
