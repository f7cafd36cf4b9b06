"""The façade of the agent: one `ask` behind every door."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import cached_property, partial
from typing import TYPE_CHECKING
from uuid import uuid4

from agent.addressed import without_address
from agent.chat_model import open_chat_model
from agent.memory import SessionStore, Turn, check_session
from agent.observed import check_observable, observed_by, open_observer
from agent.refusal import no_documents_text
from agent.secret_values import SecretValues
from agent.settings import Settings
from agent.stale import Stale, notice, stale_answers
from agent.traces import FolderTraces, Traces, open_traces
from preprocessing.errors import FolioError
from preprocessing.visibility import groups_of
from retrieval.hit import Hit
from retrieval.knowledge_base import KnowledgeBase
from retrieval.search import check

# LangChain and the checks take over a second to import; the chat prompt must not wait for them.
if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langsmith import Client

    from agent.answer import CitedAnswer
    from agent.drafts import Drafts, OnDraft
    from agent.quoting.quote import Quoter
    from agent.trace import Event, Trace

logger = logging.getLogger(__name__)


class Assistant:
    """Answers questions from a knowledge base, with a conversation per session."""

    def __init__(
        self,
        settings: Settings,
        knowledge_base: KnowledgeBase,
        model: "BaseChatModel | None",
        sessions: SessionStore,
        traces: Traces | None = None,
    ) -> None:
        """Put the parts together; without a model, the one that the settings name is opened at the first question.

        Without `traces`, they are files in FOLIO_HOME.
        """
        self.settings = settings
        self.knowledge_base = knowledge_base
        self.sessions = sessions
        self.traces = traces or FolderTraces(settings.home / "traces")
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
            return cls(settings, knowledge_base, model, sessions, open_traces(settings))
        except BaseException:
            knowledge_base.close()
            raise

    def close(self) -> None:
        """Release the knowledge base, the sessions and the traces."""
        self.knowledge_base.close()
        self.sessions.close()
        self.traces.close()
        if observer := self.__dict__.get("_observer"):
            observer.flush()

    def __enter__(self) -> "Assistant":
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def prepare(self) -> None:
        """Load what the first question needs. Raises FolioError for what it would stumble over."""
        import agent.executor  # noqa: F401

        _ = self._model
        self.knowledge_base.warm()

    def warm(self) -> None:
        """Load what the first question needs, so that it does not have to wait."""
        try:
            self.prepare()
        except FolioError as error:
            # The first question says so, where a person sees it.
            logger.debug("not warm: %s", error)

    @cached_property
    def _quoter(self) -> "Quoter":
        return quoter_of(self.knowledge_base)

    @cached_property
    def _model(self) -> "BaseChatModel":
        return self._given_model or open_chat_model(self.settings, self._quoter)

    def use_model(self, name: str) -> None:
        """Answer with another model from now on: `offline`, or one at the address of the settings.

        Raises SettingsError or ModelError when it cannot be, and goes on with the one before.
        """
        settings = self.settings.model_copy(update={"chat_model": name})
        self._model = open_chat_model(settings, self._quoter)
        self.settings = settings

    @cached_property
    def _observer(self) -> "Client | None":
        return open_observer(SecretValues.of(self.settings))

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
        from agent.drafts import Drafts
        from agent.trace import Trace

        top_k = self.settings.top_k if top_k is None else top_k
        question = without_address(question)
        check(question, top_k, "hybrid")
        question = _readable(question.strip())
        session = session or uuid4().hex[:12]
        check_session(session)
        for turn in history:
            self.sessions.append(session, turn)
        groups = groups_of(viewer or ())
        trace = Trace(question, session, listen, groups, SecretValues.of(self.settings))
        trace.run = {"filters": filters or {}, "as_of": as_of.isoformat() if as_of else None}
        drafts = Drafts(on_draft)
        answer: CitedAnswer | None = None
        problem: str | None = "interrupted"
        try:
            stale = stale_answers(self.sessions.turns(session, groups), self.knowledge_base)

            def search(query: str) -> list[Hit]:
                return self.knowledge_base.search(query, top_k, filters=filters, viewer=viewer, as_of=as_of)

            with observed_by(self._observer):
                answer = self._answer(question, session, top_k, search, stale, trace, drafts)
            answer = replace(answer, notices=tuple(notice(one, question) for one in stale))
            problem = None
            drafts.settle(answer.answer)
            self.sessions.note_stale({one.turn.number: one.staleness for one in stale})
            return answer
        except Exception as error:
            problem = str(error) if isinstance(error, FolioError) else f"{type(error).__name__}: {error}"
            raise
        finally:
            self.traces.keep(
                trace.record(
                    model=self.settings.chat_model_name,
                    answer=answer.as_json() if answer else None,
                    error=problem,
                )
            )

    def forget(self, session: str) -> None:
        """Remove the session, with how its answers came about."""
        # In this order: a session of which something is left can be removed again.
        self.traces.forget(session)
        self.sessions.forget(session)

    def _answer(
        self,
        question: str,
        session: str,
        top_k: int,
        search: Callable[[str], list[Hit]],
        stale: Sequence[Stale],
        trace: "Trace",
        drafts: "Drafts",
    ) -> "CitedAnswer":
        from agent.answer import CitedAnswer

        if self.knowledge_base.is_empty():
            return CitedAnswer(
                no_documents_text(question),
                True,
                "no_documents",
                usage=trace.usage(),
                session=session,
                trace_id=trace.trace_id,
            )
        from agent.answering import Parts, RunSettings, answer
        from agent.context import ContextWindow
        from agent.limits import Limits

        settings = self.settings
        window = getattr(self._model, "window", None) or ContextWindow.of(settings.context_tokens)
        parts = Parts(
            settings=RunSettings.of(settings, top_k, window, takes_tools=getattr(self._model, "takes_tools", True)),
            model=self._model,
            window=window,
            search=search,
            quoter=self._quoter,
            sessions=self.sessions,
            limits=Limits(
                settings.max_tokens,
                settings.max_seconds,
                lambda: sum_of_tokens(trace.usage()),
                tell=trace.record_limit,
            ),
            viewer=trace.viewer,
            stale={one.turn.number: one.staleness for one in stale},
        )
        return answer(question, session, parts, trace, drafts)


def sum_of_tokens(usage: Mapping[str, int]) -> int:
    """Return the tokens of all prompts and replies."""
    return usage["prompt_tokens"] + usage["completion_tokens"]


def quoter_of(knowledge_base: KnowledgeBase) -> "Quoter":
    """Return what chooses quotations with the embedder of the knowledge base."""
    from agent.quoting.calibrate import least_confidence
    from agent.quoting.quote import Quoter
    from retrieval.embed.passage_cache import PassageCache
    from retrieval.rerank_choice import token_matcher

    engine = knowledge_base.engine
    return Quoter(
        PassageCache(engine.embedder),
        knowledge_base.unrelated_similarity,
        token_matcher(engine.reranker, engine.embedder),
        partial(least_confidence, knowledge_base),
    )


def _readable(text: str) -> str:
    # Bytes that are no UTF-8 arrive as half surrogate pairs, which no database, model or file can hold.
    return text.encode("utf-8", "replace").decode("utf-8")
