"""What a recorded question was answered with, given again: the replies, the hits, the quotations, the memory."""

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import PrivateAttr

from agent.chat_model import ContextOverflow, ModelError, ModelTimeout, ToolsRefused
from agent.hit_record import read_hit
from agent.memory import SessionStore, Summary, Turn
from agent.quoting.candidate import Passage
from agent.quoting.quote import Quote
from agent.trace import TOOL_CALLS
from preprocessing.errors import FolioError
from retrieval.endpoint_errors import EndpointBusy
from retrieval.hit import Hit
from retrieval.search import SearchError

_MODEL_ERRORS: dict[str, type[ModelError]] = {"ModelTimeout": ModelTimeout, "ToolsRefused": ToolsRefused}
_SEARCH_ERRORS: dict[str, type[Exception]] = {
    error.__name__: error for error in (SearchError, EndpointBusy, TimeoutError, ConnectionError)
}


class Diverged(FolioError):
    """The question takes another way than when it was recorded."""


class RecordedModel(BaseChatModel):
    """Gives the recorded replies in their order, and fails where a reply failed.

    After the last one it is at its end, or gives that one for ever.
    """

    replies: Sequence[Mapping[str, Any]]
    failures: Sequence[Mapping[str, Any]] = ()
    repeats: bool = False
    _given: int = PrivateAttr(default=0)
    _failed: int = PrivateAttr(default=0)

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
        if failure := next((one for one in self.failures[self._failed :] if one["after_calls"] == self._given), None):
            self._failed += 1
            raise _model_error(failure)
        if self._given >= len(self.replies) and not (self.repeats and self.replies):
            raise Diverged(f"the model is asked more often than the {len(self.replies)} times that are recorded")
        reply = self.replies[min(self._given, len(self.replies) - 1)]
        self._given += 1
        return ChatResult(generations=[ChatGeneration(message=_message(reply))])


class RecordedSearch:
    """Finds what was found."""

    def __init__(self, searches: Sequence[Mapping[str, Any]]) -> None:
        self._left = list(searches)

    def __call__(self, query: str) -> list[Hit]:
        """Return the hits of the next search for this query."""
        found = next((one for one in self._left if one["query"] == query), None)
        if found is None:
            raise Diverged(f"what a search for {query!r} finds is not recorded")
        self._left.remove(found)
        if error := found.get("error"):
            raise _SEARCH_ERRORS.get(error["type"], FolioError)(error["text"])
        return [read_hit(hit) for hit in found["hits"]]


class RecordedQuotes:
    """Chooses what was chosen."""

    def __init__(self, quotes: Sequence[Sequence[Mapping[str, Any]]]) -> None:
        self._left = list(quotes)

    def choose(self, question: str, passages: Sequence[Passage]) -> list[Quote]:
        """Return the next quotations."""
        if not self._left:
            raise Diverged("quotations are chosen more often than is recorded")
        return [Quote(**quote) for quote in self._left.pop(0)]


def recorded_sessions(session: str, viewer: Sequence[str], history: Mapping[str, Any]) -> SessionStore:
    """Return sessions in memory that hold what was said before the question."""
    store = SessionStore.in_memory()
    for turn in history["turns"]:
        store.append(session, Turn(turn["question"], turn["answer"], turn["refused"], viewer=tuple(viewer)))
    turns = store.turns(session)
    store.note_stale(
        {new.number: old["stale"] for new, old in zip(turns, history["turns"], strict=True) if old["stale"]}
    )
    summary = Summary(**history["summary"])
    through = sum(turn["number"] <= summary.through for turn in history["turns"])
    store.keep_summary(session, viewer, Summary(summary.text, through))
    return store


def _message(reply: Mapping[str, Any]) -> AIMessage:
    tokens = {"input_tokens": reply["prompt_tokens"], "output_tokens": reply["completion_tokens"]}
    return AIMessage(
        content=reply["reply"],
        usage_metadata={**tokens, "total_tokens": sum(tokens.values())},
        **{name: reply[name] for name in TOOL_CALLS if name in reply},
    )


def _model_error(failure: Mapping[str, Any]) -> Exception:
    if failure["type"] == "ContextOverflow":
        return ContextOverflow(failure["text"], failure["context_limit"])
    return _MODEL_ERRORS.get(failure["type"], ModelError)(failure["text"])
