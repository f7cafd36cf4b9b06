"""One question from its parts to its answer: the parts may be a model and an index, or what they gave before."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from langchain_core.language_models import BaseChatModel

from agent.answer import CitedAnswer
from agent.chat_model import ToolsRefused
from agent.context import ContextWindow
from agent.drafts import Drafts
from agent.ending import Ending, Outcome
from agent.evidence import EvidenceLedger, is_same_search
from agent.executor import build_executor, run
from agent.limits import Limits
from agent.memory import SessionStore, Staleness, Turn
from agent.quoting.candidate import Passage
from agent.quoting.quote import ChoosesQuotes, Quote
from agent.rewrite import rewrite_by_model, rewrite_by_rules, stand_alone
from agent.session_memory import SessionMemory
from agent.settings import OFFLINE, AgentStyle, Settings
from agent.summary import shorten_by_model, shorten_by_rules
from agent.tools import knowledge_search, query_rewrite
from agent.unsearched import unsearched, unsearched_text
from retrieval.hit import Hit

if TYPE_CHECKING:
    from agent.trace import Trace


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The settings that an answer depends on, none of them secret."""

    model: str
    style: AgentStyle
    top_k: int
    max_iterations: int
    max_searches: int
    history_tokens: int
    prompt_tokens: int
    """What the model was known to read when the question was asked."""

    @classmethod
    def of(cls, settings: Settings, top_k: int, window: ContextWindow, *, takes_tools: bool = True) -> "RunSettings":
        """Return those of a question; a model that takes no tools is asked to call them in words."""
        model = settings.chat_model_name
        return cls(
            model=model,
            style="react" if model == OFFLINE or not takes_tools else settings.agent_style,
            top_k=top_k,
            max_iterations=settings.max_iterations,
            max_searches=settings.max_searches,
            history_tokens=settings.history_tokens,
            prompt_tokens=window.prompt_tokens,
        )


@dataclass(frozen=True, slots=True)
class Parts:
    """What a question is answered with."""

    settings: RunSettings
    model: BaseChatModel
    window: ContextWindow
    search: Callable[[str], list[Hit]]
    quoter: ChoosesQuotes
    sessions: SessionStore
    limits: Limits
    viewer: tuple[str, ...] = ()
    stale: Mapping[int, Staleness] = field(default_factory=dict)
    """Numbers of turns whose answers are out of date."""


@dataclass(frozen=True, slots=True)
class RecordingQuoter:
    """Chooses as another does, and lets a trace keep what it chose."""

    quoter: ChoosesQuotes
    trace: "Trace"

    def choose(self, question: str, passages: Sequence[Passage]) -> list[Quote]:
        """Return the quotations of the other."""
        quotes = self.quoter.choose(question, passages)
        self.trace.quotes.append([asdict(quote) for quote in quotes])
        return quotes


def answer(question: str, session: str, parts: Parts, trace: "Trace", drafts: Drafts) -> CitedAnswer:
    """Answer the question in the session, and keep in the trace what is needed to do so again."""
    settings, ledger = parts.settings, EvidenceLedger(mark=f"{trace.seed:08x}")
    is_offline = settings.model == OFFLINE

    def shorten(earlier: str, turns: Sequence[Turn]) -> list[str]:
        if is_offline:
            return shorten_by_rules(earlier, turns)
        return shorten_by_model(earlier, turns, parts.model, parts.window.prompt_tokens, [trace])

    memory = SessionMemory(
        store=parts.sessions,
        session=session,
        trace_id=trace.trace_id,
        max_tokens=settings.history_tokens,
        shorten=shorten,
        viewer=parts.viewer,
        stale=parts.stale,
    )
    turns = memory.turns()
    trace.run = {**trace.run, **asdict(settings)}
    trace.history = _history(memory, turns)

    # Another model has its own word for a question that says too little.
    why = unsearched(question, turns)
    if why == "no_question" or (why and is_offline):
        outcome = Outcome(unsearched_text(question, why), refused=True, reason=why)
        memory.save_context({"input": question}, {"outcome": outcome})
        return CitedAnswer(outcome.text, True, why, usage=trace.usage(), session=session, trace_id=trace.trace_id)

    def search(query: str) -> list[Hit]:
        return trace.record_search(query, parts.search)

    def rewrite(asked: str) -> list[str]:
        if is_offline:
            return rewrite_by_rules(asked, turns)
        return rewrite_by_model(asked, turns, parts.model, settings.history_tokens, [trace])

    asked = "\n".join([question, *(turn.question for turn in turns), *rewrite_by_rules(question, turns)])
    # Its last prompt and its quotations have no conversation beside them.
    alone = stand_alone(question, turns)
    ending = Ending(
        question=alone,
        ledger=ledger,
        model=parts.model,
        quoter=RecordingQuoter(parts.quoter, trace),
        search=lambda: search(alone),
        callbacks=[trace, drafts],
        window=parts.window,
    )

    def for_search(query: str) -> str:
        # Some models search for a follow-up as it was asked, which finds nothing of what it is about.
        return alone if alone != question and is_same_search(query, question) else query

    def outcome_in(style: AgentStyle) -> Outcome:
        executor = build_executor(
            parts.model,
            [
                knowledge_search(
                    search,
                    ledger,
                    top_k=settings.top_k,
                    max_searches=settings.max_searches,
                    asked=asked,
                    alone=for_search,
                ),
                query_rewrite(rewrite, ledger, asked=asked),
            ],
            ending,
            memory,
            max_iterations=settings.max_iterations,
            max_searches=settings.max_searches,
            limits=parts.limits,
            style=style,
        )
        return run(executor, question, [trace, drafts])

    try:
        outcome = outcome_in(settings.style)
    except ToolsRefused:
        outcome = outcome_in("react")
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


def _history(memory: SessionMemory, turns: Sequence[Turn]) -> dict[str, Any]:
    """Return what is remembered of the session, without the citations, which no later answer rests on."""
    kept = ("question", "answer", "refused", "stale", "number")
    return {
        "summary": asdict(memory.store.summary(memory.session, memory.viewer)),
        "turns": [{name: getattr(turn, name) for name in kept} for turn in turns],
    }
