"""The memory of LangChain's executor over the sessions: read before a question, written after its outcome."""

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from langchain_classic.base_memory import BaseMemory
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel
from pydantic import ConfigDict, SkipValidation

import prompts
from agent.checks.citations import remove_unknown_labels
from agent.checks.claims import find
from agent.checks.passage import Source
from agent.ending import Outcome
from agent.evidence import harmless_turns
from agent.models.errors import ModelError
from agent.react.labels import find_labels, strip_thinking
from agent.sessions.store import SessionStore
from agent.sessions.summary import (
    MAX_ANSWER_CHARS,
    MAX_QUESTION_CHARS,
    Shorten,
    clipped,
    fold,
    shorten_by_rules,
    with_summary,
)
from agent.sessions.turn import NO_HISTORY, Staleness, Summary, Turn, as_history

logger = logging.getLogger(__name__)

_MOST_READ = 4000
"""Tokens of turns that a model is given to shorten, the latest of them."""


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


def shorten_by_model(
    earlier: str,
    turns: Sequence[Turn],
    model: BaseChatModel,
    prompt_tokens: int,
    callbacks: list[BaseCallbackHandler] | None = None,
) -> list[str]:
    """Ask the model once, with a prompt that fits; what is no summary of these turns is made by the rules."""
    said = harmless_turns(as_history(turns, min(_MOST_READ, prompt_tokens // 2)))
    if said == NO_HISTORY:
        return shorten_by_rules(earlier, turns)
    prompt = prompts.render("summary", summary=earlier or NO_HISTORY, conversation=said)
    try:
        reply = strip_thinking(str(model.invoke(prompt, config={"callbacks": callbacks}).text))
    except ModelError as error:
        logger.warning("no summary of the conversation (%s); its first words are kept instead", error)
        return shorten_by_rules(earlier, turns)
    return _read_lines(reply, f"{earlier}\n{said}") or shorten_by_rules(earlier, turns)


def _read_lines(reply: str, source: str) -> list[str]:
    """Return the lines of a reply that say nothing but what was said; none of a reply that is something else."""
    if any(label.kind in ("action", "final") for label in find_labels(reply)):
        return []
    told = [Source(source)]
    bare = [re.sub(r"^[\s\-*•>]+|^\s*\d{1,2}[.)、]\s*", "", line).strip() for line in reply.splitlines()]
    texts = [remove_unknown_labels(line, ())[0] for line in bare if line and not line.endswith((":", "："))]
    kept = [clipped(text, MAX_QUESTION_CHARS + MAX_ANSWER_CHARS) for text in texts if not find(text, told)]
    return [f"- {text}" for text in dict.fromkeys(kept)]
