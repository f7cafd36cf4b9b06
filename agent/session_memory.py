"""The memory of LangChain's executor over the sessions: read before a question, written after its outcome."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from langchain_classic.base_memory import BaseMemory
from pydantic import ConfigDict, SkipValidation

from agent.ending import Outcome
from agent.memory import SessionStore, Staleness, Summary, Turn
from agent.summary import Shorten, fold, shorten_by_rules, with_summary
from agent.untrusted import harmless_turns


class SessionMemory(BaseMemory):
    """The conversation of one session."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    store: SkipValidation[SessionStore]
    session: str
    trace_id: str
    max_tokens: int
    shorten: SkipValidation[Shorten] = shorten_by_rules
    viewer: tuple[str, ...] = ()
    stale: SkipValidation[Mapping[int, Staleness]] = {}  # noqa: RUF012  pydantic copies it for each instance
    """Numbers of turns whose answers are found to be out of date, and that nobody was told of yet."""

    @property
    def memory_variables(self) -> list[str]:
        """Return the variable of the prompt that this fills."""
        return ["chat_history"]

    def load_memory_variables(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """Return the latest turns that fit and what was said before them; nothing in them can begin a step."""
        known, turns = self._open_turns()
        # A conversation that came from elsewhere may not fit yet; the model is asked for its summary afterwards.
        summary, turns = fold(known, turns, self.max_tokens, shorten_by_rules)
        return {"chat_history": harmless_turns(with_summary(summary, turns, self.max_tokens))}

    def turns(self, *, after: int = 0) -> list[Turn]:
        """Return the turns so far, those of a higher number than `after`."""
        turns = self.store.turns(self.session, self.viewer, after=after)
        return [replace(turn, stale=self.stale.get(turn.number, turn.stale)) for turn in turns]

    def save_context(self, inputs: dict[str, Any], outputs: dict[str, Any]) -> None:
        """Keep the question with its outcome, and nothing of how it came about; shorten what no longer fits."""
        outcome: Outcome = outputs["outcome"]
        citations = tuple(citation.as_stored() for citation in outcome.citations)
        turn = Turn(inputs["input"], outcome.text, outcome.refused, citations, self.trace_id, self.viewer)
        self.store.append(self.session, turn)
        known, turns = self._open_turns()
        summary, _ = fold(known, turns, self.max_tokens, self.shorten)
        if summary != known:
            self.store.keep_summary(self.session, self.viewer, summary)

    def _open_turns(self) -> tuple[Summary, list[Turn]]:
        """Return the summary and the turns that are not in it."""
        summary = self.store.summary(self.session, self.viewer)
        return summary, self.turns(after=summary.through)

    def clear(self) -> None:
        """Do nothing: a session is never emptied by the agent."""
