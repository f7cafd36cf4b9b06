"""The memory of LangChain's executor over the sessions: read before a question, written after its outcome.

Beside it stands which earlier answers no longer hold, because a document that they cite has changed since.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from langchain_classic.base_memory import BaseMemory
from pydantic import ConfigDict, SkipValidation

from agent.ending import Outcome
from agent.evidence import harmless_turns, supporting
from agent.sessions.store import SessionStore
from agent.sessions.turn import (
    Staleness,
    Turn,
    as_history,
    clipped,
)
from preprocessing.errors import FolioError
from retrieval.documents.other_documents import Fate
from retrieval.knowledge_base import KnowledgeBase
from retrieval.text.writing import Language, language_of

logger = logging.getLogger(__name__)

_MOST_NOTICES = 5
"""At once; of more, the later answers come first and the others next time."""
_NAMED_CHARS = 60

_HOLDS: Mapping[Language, Mapping[Staleness, str]] = {
    "zh": {"void": "已不再成立", "changed": "可能已不再成立"},
    "en": {"void": "no longer holds", "changed": "may no longer hold"},
}
_WHY: Mapping[Language, Mapping[Fate, str]] = {
    "zh": {"changed": "已更改", "deleted": "已删除", "superseded": "已被新版取代"},
    "en": {"changed": "has changed since", "deleted": "was deleted", "superseded": "has a newer version"},
}


class SessionMemory(BaseMemory):
    """The conversation of one session."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    store: SkipValidation[SessionStore]
    session: str
    trace_id: str
    max_tokens: int
    viewer: tuple[str, ...] = ()
    stale: SkipValidation[Mapping[int, Staleness]] = {}  # noqa: RUF012  pydantic copies it for each instance
    """Numbers of turns whose answers are found to be out of date, and that nobody was told of yet."""

    @property
    def memory_variables(self) -> list[str]:
        """Return the variable of the prompt that this fills."""
        return ["chat_history"]

    def load_memory_variables(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """Return the latest turns that fit; nothing in them can begin a step."""
        return {"chat_history": harmless_turns(as_history(self.turns(), self.max_tokens))}

    def turns(self) -> list[Turn]:
        """Return the turns so far."""
        turns = self.store.turns(self.session, self.viewer)
        return [replace(turn, stale=self.stale.get(turn.number, turn.stale)) for turn in turns]

    def save_context(self, inputs: dict[str, Any], outputs: dict[str, Any]) -> None:
        """Keep the question with its outcome, and nothing of how it came about."""
        outcome: Outcome = outputs["outcome"]
        # All of each, from which a change of its document can be told.
        citations = tuple(asdict(citation) for citation in outcome.citations)
        turn = Turn(inputs["input"], outcome.text, outcome.refused, citations, self.trace_id, self.viewer)
        self.store.append(self.session, turn)

    def clear(self) -> None:
        """Do nothing: a session is never emptied by the agent."""


@dataclass(frozen=True, slots=True)
class Stale:
    """An earlier answer that does not hold as it did."""

    turn: Turn
    staleness: Staleness
    source: str
    """The document that it cites."""
    fate: Fate


def stale_answers(turns: Sequence[Turn], knowledge_base: KnowledgeBase) -> list[Stale]:
    """Return the answers that a person must be told of, oldest first, each once for each way of being stale.

    What cannot be told now, because the documents cannot be read, is told next time.
    """
    fates: dict[tuple[str, str, str], Fate] = {}
    found: list[Stale] = []
    try:
        for turn in reversed(turns):
            stale = _judge(turn, knowledge_base, fates)
            if stale and turn.stale not in (stale.staleness, "void"):
                found.append(stale)
    except (FolioError, ConnectionError, TimeoutError) as error:
        logger.warning("whether earlier answers still hold cannot be told: %s", error)
    return found[:_MOST_NOTICES][::-1]


def notice(stale: Stale, question: str) -> str:
    """Return one line on an earlier answer, in the language of the question that is asked now."""
    earlier = clipped(stale.turn.question, _NAMED_CHARS)
    language = language_of(question)
    holds, why = _HOLDS[language][stale.staleness], _WHY[language][stale.fate]
    if language == "zh":
        return f"提示：先前“{earlier}”的回答{holds}：{stale.source} {why}。"
    return f"Note: the earlier answer to “{earlier}” {holds}: {stale.source} {why}."


def _judge(turn: Turn, knowledge_base: KnowledgeBase, fates: dict[tuple[str, str, str], Fate]) -> Stale | None:
    """Say how an answer is stale, by the worst that became of its documents."""
    changed: Stale | None = None
    # Answers of earlier versions of Folio do not say in which state they read a document.
    for citation in (one for one in turn.citations if one.get("content_hash")):
        key = (citation["doc_id"], citation["revision"], citation["content_hash"])
        if key not in fates:
            fates[key] = knowledge_base.fate_of(*key)
        fate = fates[key]
        if fate == "same" or (fate == "superseded" and citation.get("superseded_by")):
            continue
        if fate != "changed" or not _still_says(citation, knowledge_base):
            return Stale(turn, "void", citation["source"], fate)
        changed = changed or Stale(turn, "changed", citation["source"], fate)
    return changed


def _still_says(citation: dict[str, Any], knowledge_base: KnowledgeBase) -> bool:
    """Say whether the words that the answer rests on stand in the document as it is now."""
    _, chunks = knowledge_base.read(citation["doc_id"])
    now = "\n".join(supporting(chunk.text) for chunk in chunks)
    return "".join(citation["quote"].split()) in "".join(now.split())
