"""How much a model reads at once, and what is left out so that a prompt fits: old turns, then old passages."""

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.agents import AgentAction

from agent.evidence import Evidence, EvidenceLedger, format_passage, label_ranges
from agent.memory import NO_HISTORY, approximate_tokens
from agent.untrusted import CUT

logger = logging.getLogger(__name__)

REPLY_TOKENS = 1000
"""Kept free for the reply."""
SHRINK = 0.75
"""Share of a refused prompt that is sent next; tokens are counted approximately here."""
MAX_SHRINKS = 4
LEAST_TOKENS = 200
EARLIER = "(earlier turns left out)"

_PASSAGE = re.compile(r"^\[(S\d+)\] .*\n(?:\|.*(?:\n|\Z))*", re.MULTILINE)
_TURN = re.compile(r"^(?=User: )", re.MULTILINE)

Step = tuple[AgentAction, str]
"""What was done and what was observed."""


@dataclass(slots=True)
class ContextWindow:
    """Tokens that one prompt may take: from the settings, less once a model has shown that it reads fewer."""

    prompt_tokens: int

    @classmethod
    def of(cls, context_tokens: int) -> "ContextWindow":
        """Return the window of a model that reads and writes so many tokens together."""
        return cls(max(context_tokens - REPLY_TOKENS, context_tokens // 2))

    def shrink(self, sent: int, limit: int | None = None) -> None:
        """Learn from a prompt of `sent` tokens that was too long; `limit` is what the model says that it reads."""
        self.prompt_tokens = max(int(SHRINK * min(sent, limit or sent, self.prompt_tokens)), LEAST_TOKENS)
        logger.warning("prompts are cut to %d tokens from now on; see FOLIO_CONTEXT_TOKENS", self.prompt_tokens)


def fit(history: str, steps: Sequence[Step], room: int) -> tuple[str, list[Step]]:
    """Return conversation and steps within so many tokens.

    The oldest turns go first, then the passages of the oldest observation, its last first; of the newest observation
    the first passage stays, cut where it must be. What was left out is said in its place.
    """
    history = latest_turns(history, room - _tokens(steps))
    left = room - approximate_tokens(history)
    fitted = list(steps)
    newest = max((place for place, (_, seen) in enumerate(fitted) if _PASSAGE.search(seen)), default=-1)
    for place, (action, seen) in enumerate(fitted):
        excess = _tokens(fitted) - left
        if excess <= 0:
            break
        fitted[place] = (action, _without_passages(seen, excess, keep=int(place == newest)))
    if (excess := _tokens(fitted) - left) > 0 and newest >= 0:
        action, seen = fitted[newest]
        fitted[newest] = (action, _with_shorter_passage(seen, excess))
    if _tokens(fitted) < _tokens(steps):
        logger.warning("the prompt was too long: passages were left out of it; see FOLIO_CONTEXT_TOKENS")
    return history, fitted


def latest_turns(history: str, room: int) -> str:
    """Return the latest turns of a conversation within so many tokens, with a mark where earlier ones were left out."""
    if approximate_tokens(history) <= max(room, 0) or history == NO_HISTORY:
        return history
    turns = [turn for turn in _TURN.split(history) if turn.strip()]
    kept: list[str] = []
    left = room - approximate_tokens(EARLIER)
    while turns and (left := left - approximate_tokens(turns[-1])) >= 0:
        kept.insert(0, turns.pop())
    return "".join([f"{EARLIER}\n", *kept]).rstrip("\n")


def best_passages(ledger: EvidenceLedger, room: int) -> str:
    """Return the passages of a question within so many tokens: the best of each search first, in order of labels."""
    ranks: dict[str, int] = {}
    for search in ledger.searches:
        for rank, label in enumerate(search.labels):
            ranks[label] = min(rank, ranks.get(label, rank))
    kept: list[tuple[Evidence, str]] = []
    for evidence in sorted(ledger.all(), key=lambda one: ranks.get(one.label, 0)):
        text = format_passage(evidence)
        if kept and approximate_tokens(text) > room:
            continue
        kept.append((evidence, text if approximate_tokens(text) <= room else _cut(text, room)))
        room -= approximate_tokens(text)
    shown = [text for evidence, text in sorted(kept, key=lambda one: int(one[0].label[1:]))]
    if len(kept) < len(ledger):
        left_out = {evidence.label for evidence in ledger.all()} - {evidence.label for evidence, _ in kept}
        shown.append(f"(left out to fit: {label_ranges(list(left_out))})")
    return "\n\n".join(shown)


def _tokens(steps: Sequence[Step]) -> int:
    return sum(approximate_tokens(f"{action.log}\nObservation: {seen}\nThought: ") for action, seen in steps)


def _without_passages(seen: str, excess: int, keep: int) -> str:
    """Take out the last passages until the excess is gone, but for the first `keep`."""
    gone: list[str] = []
    for passage in list(_PASSAGE.finditer(seen))[keep:][::-1]:
        if excess <= 0:
            break
        seen = seen[: passage.start()] + seen[passage.end() :]
        excess -= approximate_tokens(passage[0])
        gone.append(passage[1])
    seen = re.sub(r"\n{3,}", "\n\n", seen)
    return f"{seen}\n(left out to fit: {label_ranges(gone)})" if gone else seen


def _with_shorter_passage(seen: str, excess: int) -> str:
    passage = _PASSAGE.search(seen)
    if passage is None:
        return seen
    room = max(approximate_tokens(passage[0]) - excess, LEAST_TOKENS // 2)
    return seen[: passage.start()] + _cut(passage[0], room) + "\n" + seen[passage.end() :]


def _cut(passage: str, room: int) -> str:
    """Return the beginning of a passage within so many tokens."""
    kept = passage
    while approximate_tokens(kept) > room and len(kept) > 1:
        kept = kept[: int(len(kept) * min(0.9, room / approximate_tokens(kept)))]
    return f"{kept.rstrip()}\n| {CUT}"
