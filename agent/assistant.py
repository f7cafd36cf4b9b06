"""The façade of the agent: one `ask` behind every door."""

import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING
from uuid import uuid4

from agent.question import Question, readable, without_address
from agent.sessions.store import SessionStore, check_session
from agent.sessions.turn import Turn
from agent.settings import Settings
from agent.traces.kept import open_traces
from agent.traces.observed import check_observable
from retrieval.knowledge_base import KnowledgeBase
from retrieval.search import check

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from agent.answer import CitedAnswer
    from agent.executor import Answerer
    from agent.loop.drafts import AskRunnable, OnDraft
    from agent.traces.trace import Event

logger = logging.getLogger(__name__)


class Assistant:
    """Answers questions from a knowledge base, with a conversation per session."""

    def __init__(
        self,
        settings: Settings,
        knowledge_base: KnowledgeBase,
        model: "BaseChatModel | None",
        sessions: SessionStore,
    ) -> None:
        """Put the parts together; without a model, the one that the settings name is opened at the first question."""
        self.settings = settings
        self.knowledge_base = knowledge_base
        self.sessions = sessions
        self.traces = open_traces(settings)
        self._given_model = model

    @classmethod
    def open(cls, settings: Settings, *, model: "BaseChatModel | None" = None, remember: bool = True) -> "Assistant":
        """Open everything that the settings name; no model is loaded and nothing is sent yet.

        Without `remember`, the sessions are gone when the process ends. Raises SettingsError when the settings name no
        usable chat model.
        """
        logger.debug("the chat model is %s", settings.chat_model_name)
        check_observable()
        knowledge_base = KnowledgeBase.open(settings)
        try:
            sessions = SessionStore.of(settings) if remember else SessionStore.in_memory()
            return cls(settings, knowledge_base, model, sessions)
        except BaseException:
            knowledge_base.close()
            raise

    def close(self) -> None:
        """Release the knowledge base, the sessions and the traces."""
        self.knowledge_base.close()
        self.sessions.close()
        self.traces.close()
        if answerer := self.__dict__.get("_answerer"):
            answerer.close()

    def __enter__(self) -> "Assistant":
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    @cached_property
    def _answerer(self) -> "Answerer":
        # LangChain and the checks take over a second to import; the chat prompt must not wait for them.
        from agent.executor import Answerer

        return Answerer(self.settings, self.knowledge_base, self.sessions, self.traces, self._given_model)

    def prepare(self) -> None:
        """Load what the first question needs. Raises FolioError for what it would stumble over."""
        self._answerer.prepare()

    def use_model(self, name: str) -> None:
        """Answer with another model from now on: `offline`, or one at the address of the settings.

        Raises SettingsError or ModelError when it cannot be, and goes on with the one before.
        """
        settings = self.settings.model_copy(update={"chat_model": name})
        self._answerer.use_model(settings)
        self.settings = settings

    def ask(
        self,
        question: str,
        session: str | None = None,
        *,
        history: Sequence[Turn] = (),
        listen: "Callable[[Event], None] | None" = None,
        filters: Mapping[str, tuple[str, ...]] | None = None,
        viewer: Sequence[str] | None = None,
        as_of: date | None = None,
        top_k: int | None = None,
        on_draft: "OnDraft | None" = None,
    ) -> "CitedAnswer":
        """Answer the question in the session; a new session is begun when none is given.

        `history` is a conversation that goes before it. `listen` is called with each step as it happens, and `on_draft`
        with the answer while it is written, as `Drafts` has it. `top_k` is for this question alone. Raises SearchError
        for a blank question and ModelError when the chat model cannot be reached. The trace is written in every case.
        """
        top_k = self.settings.top_k if top_k is None else top_k
        question = readable(without_address(question).strip())
        check(question, top_k, "hybrid")
        session = session or uuid4().hex[:12]
        check_session(session)
        for turn in history:
            self.sessions.append(session, turn)
        asked = Question(question, session, top_k, filters, viewer, as_of)
        return self._answerer.ask(asked, listen, on_draft)

    def as_runnable(self) -> "AskRunnable":
        """Return the assistant as a LangChain runnable, from a question to its answer.

        The question is a text, or a dict of `question` and of what `ask` takes by name, such as `session`. A stream
        has the pieces of the answer as they are written, then the answer; added up they are the answer.
        """
        return self._answerer.runnable(self.ask)

    def forget(self, session: str) -> None:
        """Remove the session, with how its answers came about."""
        # In this order: a session of which something is left can be removed again.
        self.traces.forget(session)
        self.sessions.forget(session)
