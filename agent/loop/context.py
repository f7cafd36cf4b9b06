"""What is left out of a conversation and its steps so that a prompt fits: old turns, then old passages."""

import logging
import re
from collections.abc import Sequence

from langchain_core.agents import AgentAction

from agent.evidence import cut_passage, label_ranges
from agent.sessions.turn import NO_HISTORY
from agent.window import LEAST_TOKENS, approximate_tokens

logger = logging.getLogger(__name__)

EARLIER = "(earlier turns left out)"

_PASSAGE = re.compile(r"^\[(S\d+)\] .*\n(?:\|.*(?:\n|\Z))*", re.MULTILINE)
_TURN = re.compile(r"^(?=User: )", re.MULTILINE)

Step = tuple[AgentAction, str]
"""What was done and what was observed."""


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
    return seen[: passage.start()] + cut_passage(passage[0], room) + "\n" + seen[passage.end() :]
