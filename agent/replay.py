"""Answer a recorded question again from what was recorded, or from what the index holds today, and compare."""

import difflib
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import chain, repeat
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import SkipValidation, TypeAdapter

from agent.executor import Parts, RunSettings, answer, quoter_of
from agent.loop.drafts import Drafts
from agent.loop.steering import Limits
from agent.models.chat import open_chat_model
from agent.models.errors import ContextOverflow, ModelError, ModelTimeout, ToolsRefused
from agent.quoting.confidence import Passage
from agent.quoting.quote import ChoosesQuotes, Quote
from agent.sessions.store import SessionStore
from agent.sessions.turn import Summary, Turn
from agent.settings import OFFLINE, Settings
from agent.traces.observed import SecretValues
from agent.traces.trace import TOLD, TOOL_CALLS, Trace
from preprocessing.errors import FolioError
from prompts import ContextWindow
from retrieval.hit import Hit
from retrieval.knowledge_base import KnowledgeBase

_NEW_EACH_TIME = ("trace_id", "notices", "usage")
"""Of an answer: the id is that of another run, and what a person is told beside it is no part of it."""
_SHOWN_CHARS = 80
_ERRORS: dict[str, type[Exception]] = {error.__name__: error for error in (*TOLD, ModelTimeout, ToolsRefused)}
_HIT = TypeAdapter(Hit)


class NotReplayable(FolioError):
    """The trace does not hold what a replay needs."""


class Diverged(FolioError):
    """The question takes another way than when it was recorded."""


@dataclass(frozen=True, slots=True)
class Found:
    """A passage that one of two searches for the same finds, and the other does not."""

    rank: int
    source: str
    section: str
    text: str


@dataclass(frozen=True, slots=True)
class ChangedSearch:
    """What a recorded search finds today and did not find then, and the other way round."""

    query: str
    gained: tuple[Found, ...]
    lost: tuple[Found, ...]


@dataclass(frozen=True, slots=True)
class Replayed:
    """A question that was answered again."""

    trace_id: str
    diff: tuple[str, ...]
    """Lines of a unified diff of the two answers as JSON; none when they are the same byte for byte."""
    searches: tuple[ChangedSearch, ...] = field(default=())
    """Of a replay with today's index, those that find something else."""

    @property
    def is_same(self) -> bool:
        """Say whether the answer is that of the record."""
        return not self.diff


def replay(record: Mapping[str, Any], settings: Settings) -> Replayed:
    """Answer again from the recorded replies and hits; nothing is asked or searched.

    Raises NotReplayable for a trace without an answer, or of an earlier version of Folio.
    """
    _check(record)
    if record["answer"]["reason"] == "no_documents":
        return Replayed(record["trace_id"], ())
    recorded = Recorded(record)
    model = RecordedModel(outcomes=_outcomes(record["llm_calls"], record["failed_calls"]))
    return Replayed(record["trace_id"], _difference(record, recorded.search, recorded, model, settings))


def replay_live(record: Mapping[str, Any], settings: Settings, knowledge_base: KnowledgeBase) -> Replayed:
    """Answer again with what the index finds today.

    The built-in model reads it anew; of any other the recorded replies are taken, the last one for ever.
    """
    _check(record)
    given = record["run"]
    filters = {key: tuple(values) for key, values in given["filters"].items()}
    as_of = date.fromisoformat(given["as_of"]) if given["as_of"] else None

    def search(query: str) -> list[Hit]:
        return knowledge_base.search(
            query, given.get("top_k", settings.top_k), filters=filters, viewer=record["viewer"], as_of=as_of
        )

    searches = [_changed(one, search(one["query"])) for one in record["searches"] if "hits" in one]
    changed = tuple(one for one in searches if one.gained or one.lost)
    if record["answer"]["reason"] == "no_documents":
        raise NotReplayable(f"trace {record['trace_id']}: there were no documents then; ask the question again")
    quoter = quoter_of(knowledge_base)
    if given["model"] == OFFLINE:
        model = open_chat_model(settings.model_copy(update={"chat_model": OFFLINE}), quoter)
    else:
        model = RecordedModel(outcomes=_outcomes(record["llm_calls"], repeats=True))
    diff = _difference(record, search, quoter, model, settings)
    return Replayed(record["trace_id"], diff, changed)


def _check(record: Mapping[str, Any]) -> None:
    trace_id = record["trace_id"]
    if "searches" not in record:
        raise NotReplayable(f"trace {trace_id} was written by an earlier version of Folio; ask the question again")
    if record["answer"] is None:
        raise NotReplayable(f"trace {trace_id} has no answer to compare with; it ended with: {record['error']}")


def _difference(
    record: Mapping[str, Any],
    search: Callable[[str], list[Hit]],
    quoter: ChoosesQuotes,
    model: BaseChatModel,
    settings: Settings,
) -> tuple[str, ...]:
    """Answer the question of the record with these parts, and return how the answer differs."""
    given, session, viewer = record["run"], record["session"], tuple(record["viewer"])
    run = RunSettings(**{name: given[name] for name in RunSettings.__dataclass_fields__})
    trace = Trace(record["question"], session, viewer=viewer, seed=record["seed"])
    sessions = _recorded_sessions(session, viewer, record["history"])
    parts = Parts(
        settings=run,
        model=model,
        window=ContextWindow(run.prompt_tokens),
        search=search,
        quoter=quoter,
        sessions=sessions,
        limits=_limits(record["limit"], trace),
        viewer=viewer,
    )
    try:
        again = answer(record["question"], session, parts, trace, Drafts(None)).as_json()
    except Diverged as error:
        return (f"! {error}",)
    finally:
        sessions.close()
    then, now = _lines(record["answer"]), _lines(SecretValues.of(settings).mask(again))
    return tuple(difflib.unified_diff(then, now, "recorded", "replayed", lineterm="", n=1))


def _limits(reached: Mapping[str, Any] | None, trace: Trace) -> Limits:
    """Return limits that are reached when they were, whatever the clock says."""
    if reached is None:
        return Limits.none()
    return Limits(1, math.inf, lambda: int(len(trace.llm_calls) >= reached["after_calls"]))


def _lines(given: Mapping[str, Any]) -> Sequence[str]:
    kept = {key: value for key, value in given.items() if key not in _NEW_EACH_TIME}
    # Text by its lines, so that a diff shows the sentence that changed.
    return json.dumps(kept, ensure_ascii=False, indent=1).replace("\\n", "\n").splitlines()


def _changed(recorded: Mapping[str, Any], today: Sequence[Hit]) -> ChangedSearch:
    then = [_HIT.validate_python(hit) for hit in recorded["hits"]]
    return ChangedSearch(recorded["query"], _only_in(today, then), _only_in(then, today))


def _only_in(hits: Sequence[Hit], others: Sequence[Hit]) -> tuple[Found, ...]:
    """Return what is only among the first; a passage that was chunked anew and says the same is the same."""
    known = {_identity(hit) for hit in others}
    return tuple(
        Found(rank, hit.chunk.source, " > ".join(hit.chunk.section), " ".join(hit.chunk.text.split())[:_SHOWN_CHARS])
        for rank, hit in enumerate(hits, start=1)
        if _identity(hit) not in known
    )


def _identity(hit: Hit) -> tuple[str, tuple[str, ...], str]:
    return hit.chunk.source, hit.chunk.section, hit.chunk.text


class RecordedModel(BaseChatModel):
    """Gives the recorded replies in their order, and fails where a reply failed."""

    outcomes: SkipValidation[Iterator[AIMessage | Exception]]

    @property
    def _llm_type(self) -> str:
        return "recorded"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        """Return the model: what its replies call is recorded."""
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        outcome = next(self.outcomes)
        if isinstance(outcome, Exception):
            raise outcome
        return ChatResult(generations=[ChatGeneration(message=outcome)])


def _outcomes(
    calls: Sequence[Mapping[str, Any]], failures: Sequence[Mapping[str, Any]] = (), *, repeats: bool = False
) -> Iterator[AIMessage | Exception]:
    """Return what each call brought, and then Diverged, or the last reply for ever."""
    outcomes: list[AIMessage | Exception] = [
        AIMessage(call["reply"], **{name: call[name] for name in TOOL_CALLS if name in call}) for call in calls
    ]
    end = Diverged(f"the model is asked more often than the {len(calls)} times that are recorded")
    last = outcomes[-1] if repeats and outcomes else end
    for failure in reversed(failures):
        outcomes.insert(failure["after_calls"], _model_error(failure))
    return chain(outcomes, repeat(last))


class Recorded:
    """Finds what was found, and chooses what was chosen."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self._searches = list(record["searches"])
        self._quotes = list(record["quotes"])

    def search(self, query: str) -> list[Hit]:
        """Return the hits of the next search for this query."""
        found = next((one for one in self._searches if one["query"] == query), None)
        if found is None:
            raise Diverged(f"what a search for {query!r} finds is not recorded")
        self._searches.remove(found)
        if error := found.get("error"):
            raise _ERRORS.get(error["type"], FolioError)(error["text"])
        return [_HIT.validate_python(hit) for hit in found["hits"]]

    def choose(self, question: str, passages: Sequence[Passage]) -> list[Quote]:
        """Return the next quotations."""
        if not self._quotes:
            raise Diverged("quotations are chosen more often than is recorded")
        return [Quote(**quote) for quote in self._quotes.pop(0)]


def _recorded_sessions(session: str, viewer: Sequence[str], history: Mapping[str, Any]) -> SessionStore:
    """Return sessions in memory that hold what was said before the question."""
    store = SessionStore.in_memory()
    for turn in history["turns"]:
        store.append(session, Turn(**turn, viewer=tuple(viewer)))
    summary = Summary(**history["summary"])
    through = sum(turn["number"] <= summary.through for turn in history["turns"])
    store.keep_summary(session, viewer, Summary(summary.text, through))
    return store


def _model_error(failure: Mapping[str, Any]) -> Exception:
    if failure["type"] == "ContextOverflow":
        return ContextOverflow(failure["text"], failure["context_limit"])
    return _ERRORS.get(failure["type"], ModelError)(failure["text"])
