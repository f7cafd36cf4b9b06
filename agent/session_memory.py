"""The memory of LangChain's executor over the sessions: read before a question, written after its outcome."""

from typing import Any

from langchain_classic.base_memory import BaseMemory
from pydantic import ConfigDict, SkipValidation

from agent.ending import Outcome
from agent.memory import SessionStore, Turn, as_history
from agent.untrusted import harmless_turns


class SessionMemory(BaseMemory):
    """The conversation of one session."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    store: SkipValidation[SessionStore]
    session: str
    trace_id: str
    max_tokens: int
    viewer: tuple[str, ...] = ()

    @property
    def memory_variables(self) -> list[str]:
        """Return the variable of the prompt that this fills."""
        return ["chat_history"]

    def load_memory_variables(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """Return the latest turns that fit; nothing in them can begin a step."""
        return {"chat_history": harmless_turns(as_history(self.turns(), self.max_tokens))}

    def turns(self) -> list[Turn]:
        """Return the turns so far."""
        return self.store.turns(self.session, self.viewer)

    def save_context(self, inputs: dict[str, Any], outputs: dict[str, Any]) -> None:
        """Keep the question with its outcome, and nothing of how it came about."""
        outcome: Outcome = outputs["outcome"]
        citations = tuple(citation.as_json() for citation in outcome.citations)
        turn = Turn(inputs["input"], outcome.text, outcome.refused, citations, self.trace_id, self.viewer)
        self.store.append(self.session, turn)

    def clear(self) -> None:
        """Do nothing: a session is never emptied by the agent."""
