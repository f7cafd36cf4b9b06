"""One question to its answer: think, call a tool, observe, until an answer stands or a limit ends it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, cast

from langchain_classic.agents import AgentExecutor
from langchain_core.language_models import BaseChatModel
from langchain_core.tools import BaseTool
from langsmith import Client

from agent.answer import CitedAnswer
from agent.ending import Ending, Outcome, no_documents_text
from agent.evidence import EvidenceLedger, is_same_search
from agent.loop.drafts import AskRunnable, Drafts, OnDraft
from agent.loop.native_tools import native_agent
from agent.loop.steering import Limits, SteeredAgent, react_agent
from agent.memory import SessionMemory, notice, stale_answers
from agent.models.chat import open_chat_model
from agent.models.errors import ToolsRefused
from agent.models.offline import OfflineChatModel
from agent.question import Question, small_talk_reply
from agent.quoting.quote import Quoter
from agent.rewrite import RewriteByModel, RewriteByRules, Rewriter
from agent.sessions.store import SessionStore
from agent.sessions.turn import Staleness, Turn
from agent.settings import OFFLINE, AgentStyle, Settings
from agent.tools import knowledge_search, query_rewrite
from agent.traces.kept import Traces
from agent.traces.observed import SecretValues, observed_by, open_observer
from agent.traces.trace import Event, Trace
from preprocessing.errors import FolioError
from preprocessing.visibility import groups_of
from prompts import ContextWindow
from retrieval.hit import Hit
from retrieval.knowledge_base import KnowledgeBase
from retrieval.rerank.token_interaction import token_matcher


@dataclass
class Answerer:
    """Answers the questions of one assistant, with what it loads at the first of them."""

    settings: Settings
    knowledge_base: KnowledgeBase
    sessions: SessionStore
    traces: Traces
    given_model: BaseChatModel | None = None

    @cached_property
    def model(self) -> BaseChatModel:
        """The chat model; that of the settings where none was given."""
        return self.given_model or open_chat_model(self.settings, self.quoter)

    @cached_property
    def quoter(self) -> Quoter:
        """What chooses quotations."""
        return quoter_of(self.knowledge_base)

    @cached_property
    def observer(self) -> Client | None:
        """Who is told of each question, if anybody."""
        return open_observer(SecretValues.of(self.settings))

    def prepare(self) -> None:
        """Load what the first question needs. Raises FolioError for what it would stumble over."""
        _ = self.model
        self.knowledge_base.warm()

    def use_model(self, settings: Settings) -> None:
        """Answer with the model of these settings from now on; raises what opening it raises."""
        self.model = open_chat_model(settings, self.quoter)
        self.settings = settings

    def runnable(self, ask: Callable[..., CitedAnswer]) -> AskRunnable:
        """Return what asks as a LangChain runnable."""
        return AskRunnable(ask)

    def close(self) -> None:
        """Send what is left to send."""
        if observer := self.__dict__.get("observer"):
            observer.flush()

    def ask(self, asked: Question, listen: Callable[[Event], None] | None, on_draft: OnDraft | None) -> CitedAnswer:
        """Answer the question, with notices on earlier answers; the trace is written in every case."""
        groups = groups_of(asked.viewer or ())
        trace = Trace(asked.text, asked.session, listen, groups, SecretValues.of(self.settings))
        trace.run = {"filters": asked.filters or {}, "as_of": asked.as_of.isoformat() if asked.as_of else None}
        drafts = Drafts(on_draft)
        told: CitedAnswer | None = None
        problem: str | None = "interrupted"
        try:
            stale = stale_answers(self.sessions.turns(asked.session, groups), self.knowledge_base)
            staleness = {one.turn.number: one.staleness for one in stale}
            with observed_by(self.observer):
                told = self._answer(asked, staleness, trace, drafts)
            told = replace(told, notices=tuple(notice(one, asked.text) for one in stale))
            problem = None
            drafts.settle(told.answer)
            self.sessions.note_stale(staleness)
            return told
        except Exception as error:
            problem = str(error) if isinstance(error, FolioError) else f"{type(error).__name__}: {error}"
            raise
        finally:
            answered = told.as_json() if told else None
            self.traces.keep(trace.record(model=self.settings.chat_model_name, answer=answered, error=problem))

    def _answer(self, asked: Question, stale: Mapping[int, Staleness], trace: Trace, drafts: Drafts) -> CitedAnswer:
        """Answer with the two tools of this question; `stale` has the numbers of turns that are out of date."""
        if self.knowledge_base.is_empty():
            outcome = Outcome(no_documents_text(asked.text), refused=True, reason="no_documents")
            return _told(outcome, asked.session, trace)
        settings, model = self.settings, self.model
        is_offline = settings.chat_model_name == OFFLINE
        window = getattr(model, "window", None) or ContextWindow.of(settings.context_tokens)
        memory = SessionMemory(
            store=self.sessions,
            session=asked.session,
            trace_id=trace.trace_id,
            max_tokens=settings.history_tokens,
            viewer=trace.viewer,
            stale=stale,
        )
        turns = memory.turns()
        trace.history = _history(turns)
        if reply := small_talk_reply(asked.text):
            outcome = Outcome(reply, refused=True, reason="no_question")
            memory.save_context({"input": asked.text}, {"outcome": outcome})
            return _told(outcome, asked.session, trace)

        look = partial(
            self.knowledge_base.search, k=asked.top_k, filters=asked.filters, viewer=asked.viewer, as_of=asked.as_of
        )

        def search(query: str) -> list[Hit]:
            return trace.record_search(query, look)

        rewriter: Rewriter = RewriteByRules() if is_offline else RewriteByModel(model, settings.history_tokens, [trace])
        # Its last prompt and its quotations have no conversation beside them.
        alone = rewriter.stand_alone(asked.text, turns)
        ledger = EvidenceLedger()
        if isinstance(model, OfflineChatModel):
            model = model.about(asked.text, [alone], ledger)

        def for_search(query: str) -> str:
            # Some models search for a follow-up as it was asked, which finds nothing of what it is about.
            return alone if alone != asked.text and is_same_search(query, asked.text) else query

        said = "\n".join([asked.text, *(turn.question for turn in turns), alone])
        tools = [
            knowledge_search(search, ledger, top_k=asked.top_k, max_searches=settings.max_searches, alone=for_search),
            query_rewrite(lambda given: rewriter.rewrite(given, turns), ledger, asked=said),
        ]
        ending = Ending(
            question=alone,
            ledger=ledger,
            model=model,
            choose=self.quoter.choose,
            search=lambda: search(alone),
            callbacks=[trace, drafts],
            window=window,
        )
        limits = Limits(settings.max_tokens, settings.max_seconds, partial(_tokens, trace), tell=trace.record_limit)

        def outcome_in(style: AgentStyle) -> Outcome:
            caps = {"max_iterations": settings.max_iterations, "max_searches": settings.max_searches}
            executor = build_executor(model, tools, ending, memory, **caps, limits=limits, style=style)
            result = executor.invoke({"input": asked.text}, config={"callbacks": [trace, drafts]})
            return cast("Outcome", result["outcome"])

        # A model that takes no tools is asked to call them in words.
        in_words = is_offline or not getattr(model, "takes_tools", True)
        try:
            outcome = outcome_in("react" if in_words else settings.agent_style)
        except ToolsRefused:
            outcome = outcome_in("react")
        passages = {citation.label: ledger.get(citation.label).hit for citation in outcome.citations}
        return _told(outcome, asked.session, trace, passages)


def quoter_of(knowledge_base: KnowledgeBase) -> Quoter:
    """Return what chooses quotations with the embedder of the knowledge base."""
    engine = knowledge_base.engine
    matcher = token_matcher(engine.reranker, engine.embedder)
    return Quoter(engine.embedder, knowledge_base.unrelated_similarity, matcher)


def build_executor(
    model: BaseChatModel,
    tools: list[BaseTool],
    ending: Ending,
    memory: SessionMemory,
    *,
    max_iterations: int,
    max_searches: int,
    limits: Limits,
    style: AgentStyle,
) -> AgentExecutor:
    """Put the agent of one question together."""
    make = native_agent if style == "tools" else react_agent
    agent, fixed_tokens = make(model, tools, max_searches=max_searches, mark=ending.ledger.mark)
    steered = SteeredAgent(agent=agent, fixed_tokens=fixed_tokens, ending=ending, limits=limits)
    return AgentExecutor(
        agent=steered, tools=tools, memory=memory, max_iterations=max_iterations, handle_parsing_errors=True
    )


def _told(outcome: Outcome, session: str, trace: Trace, passages: Mapping[str, Hit] | None = None) -> CitedAnswer:
    return CitedAnswer(
        answer=outcome.text,
        refused=outcome.refused,
        reason=outcome.reason,
        citations=outcome.citations,
        checks=outcome.checks,
        usage=trace.usage(),
        passages=passages or {},
        session=session,
        trace_id=trace.trace_id,
    )


def _tokens(trace: Trace) -> int:
    """Return the tokens of all prompts and replies so far."""
    usage = trace.usage()
    return usage["prompt_tokens"] + usage["completion_tokens"]


def _history(turns: Sequence[Turn]) -> list[dict[str, Any]]:
    """Return the turns as a trace keeps them, without the citations, which no later answer rests on."""
    kept = ("question", "answer", "refused", "stale", "number")
    return [{name: getattr(turn, name) for name in kept} for turn in turns]
