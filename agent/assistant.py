"""The façade of the agent: one `ask` behind every door."""

import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING
from uuid import uuid4

from agent.chat_model import open_chat_model, without_key
from agent.evidence import EvidenceLedger
from agent.memory import SessionStore, Turn
from agent.refusal import no_documents_text
from agent.settings import OFFLINE, Settings
from preprocessing.errors import FolioError
from preprocessing.visibility import groups_of
from retrieval.hit import Hit
from retrieval.knowledge_base import KnowledgeBase
from retrieval.search import check

# LangChain and the checks take over a second to import; the chat prompt must not wait for them.
if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from agent.answer import CitedAnswer
    from agent.drafts import Drafts, OnDraft
    from agent.quote import Quoter
    from agent.trace import Event, Trace

logger = logging.getLogger(__name__)


class Assistant:
    """Answers questions from a knowledge base, with a conversation per session."""

    def __init__(
        self, settings: Settings, knowledge_base: KnowledgeBase, model: "BaseChatModel | None", sessions: SessionStore
    ) -> None:
        """Put the parts together; without a model, the one that the settings name is opened at the first question."""
        self.settings = settings
        self.knowledge_base = knowledge_base
        self.sessions = sessions
        self._given_model = model

    @classmethod
    def open(cls, settings: Settings, *, model: "BaseChatModel | None" = None, remember: bool = True) -> "Assistant":
        """Open everything that the settings name; no model is loaded and nothing is sent yet.

        Without `remember`, the sessions are gone when the process ends. Raises SettingsError when the settings name no
        usable chat model.
        """
        logger.debug("the chat model is %s", settings.chat_model_name)
        knowledge_base = KnowledgeBase.open(settings)
        try:
            sessions = SessionStore.in_folder(settings.home) if remember else SessionStore.in_memory()
            return cls(settings, knowledge_base, model, sessions)
        except BaseException:
            knowledge_base.close()
            raise

    def close(self) -> None:
        """Release the knowledge base and the sessions."""
        self.knowledge_base.close()
        self.sessions.close()

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
    def _model(self) -> "BaseChatModel":
        return self._given_model or open_chat_model(self.settings, quoter_of(self.knowledge_base))

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
        check(question, top_k, "hybrid")
        question = _readable(question.strip())
        session = session or uuid4().hex[:12]
        for turn in history:
            self.sessions.append(session, turn)
        trace = Trace(question, session, listen, groups_of(viewer or ()))
        drafts = Drafts(on_draft)
        answer: CitedAnswer | None = None
        problem: str | None = "interrupted"
        try:
            answer = self._answer(question, session, trace, drafts, top_k, filters, viewer, as_of)
            problem = None
            drafts.settle(answer.answer)
            return answer
        except Exception as error:
            text = str(error) if isinstance(error, FolioError) else f"{type(error).__name__}: {error}"
            problem = without_key(text, self.settings)
            raise
        finally:
            trace.write(
                self.settings.home / "traces",
                model=self.settings.chat_model_name,
                answer=answer.as_json() if answer else None,
                error=problem,
            )

    def _answer(
        self,
        question: str,
        session: str,
        trace: "Trace",
        drafts: "Drafts",
        top_k: int,
        filters: Mapping[str, tuple[str, ...]] | None,
        viewer: Sequence[str] | None,
        as_of: date | None,
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
        from agent.context import ContextWindow
        from agent.ending import Ending
        from agent.executor import build_executor, run
        from agent.limits import Limits
        from agent.rewrite import rewrite_by_model, rewrite_by_rules, stand_alone
        from agent.session_memory import SessionMemory
        from agent.tools import knowledge_search, query_rewrite

        settings, ledger = self.settings, EvidenceLedger()
        memory = SessionMemory(
            store=self.sessions,
            session=session,
            trace_id=trace.trace_id,
            max_tokens=settings.history_tokens,
            viewer=groups_of(viewer or ()),
        )
        turns = memory.turns()

        def search(query: str) -> list[Hit]:
            hits = self.knowledge_base.search(query, top_k, filters=filters, viewer=viewer, as_of=as_of)
            trace.record_hits(query, hits)
            return hits

        def rewrite(asked: str) -> list[str]:
            if settings.chat_model_name == OFFLINE:
                return rewrite_by_rules(asked, turns)
            return rewrite_by_model(asked, turns, self._model, settings.history_tokens, [trace])

        asked = "\n".join([question, *(turn.question for turn in turns), *rewrite_by_rules(question, turns)])
        tools = [
            knowledge_search(search, ledger, top_k=top_k, max_searches=settings.max_searches, asked=asked),
            query_rewrite(rewrite, ledger, asked=asked),
        ]
        ending = Ending(
            question=question,
            ledger=ledger,
            model=self._model,
            quoter=quoter_of(self.knowledge_base),
            search=lambda: search(stand_alone(question, turns)),
            callbacks=[trace, drafts],
            window=getattr(self._model, "window", None) or ContextWindow.of(settings.context_tokens),
        )
        executor = build_executor(
            self._model,
            tools,
            ending,
            memory,
            max_iterations=settings.max_iterations,
            max_searches=settings.max_searches,
            limits=Limits(settings.max_tokens, settings.max_seconds, lambda: sum_of_tokens(trace.usage())),
            style="react" if settings.chat_model_name == OFFLINE else settings.agent_style,
        )
        outcome = run(executor, question, [trace, drafts])
        return CitedAnswer(
            answer=outcome.text,
            refused=outcome.refused,
            reason=outcome.reason,
            citations=outcome.citations,
            checks=outcome.checks,
            usage=trace.usage(),
            passages={citation.label: ledger.get(citation.label).hit for citation in outcome.citations},
            session=session,
            trace_id=trace.trace_id,
        )


def sum_of_tokens(usage: Mapping[str, int]) -> int:
    """Return the tokens of all prompts and replies."""
    return usage["prompt_tokens"] + usage["completion_tokens"]


def quoter_of(knowledge_base: KnowledgeBase) -> "Quoter":
    """Return what chooses quotations with the embedder of the knowledge base."""
    from agent.quote import Quoter

    return Quoter(knowledge_base.engine.embedder, knowledge_base.unrelated_similarity)


def _readable(text: str) -> str:
    # Bytes that are no UTF-8 arrive as half surrogate pairs, which no database, model or file can hold.
    return text.encode("utf-8", "replace").decode("utf-8")
