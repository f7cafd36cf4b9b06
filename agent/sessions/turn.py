"""The turns of a conversation, and how a model is shown them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from agent.checks.citations import remove_unknown_labels
from prompts import approximate_tokens

TURNS_READ = 50
"""Turns of a session that are looked at."""
NO_HISTORY = "(none)"
EARLIER = "(earlier turns left out)"
OUT_OF_DATE = "(out of date: a document has changed since)"

Staleness = Literal["changed", "void"]
"""`changed`: a document that the answer cites is another now. `void`: it no longer says what the answer rests on."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One question and its final answer."""

    question: str
    answer: str
    refused: bool = False
    citations: tuple[dict[str, Any], ...] = ()
    trace_id: str = ""
    viewer: tuple[str, ...] = ()
    """Groups on whose behalf it was asked."""
    stale: Staleness | None = None
    """What a person was told of the answer since."""
    number: int = field(default=0, compare=False)
    """Grows from turn to turn; 0 for one that is not stored."""


def as_turns(messages: Sequence[dict[str, str]]) -> list[Turn]:
    """Return a conversation given as `{"role": "user" | "assistant", "text": …}` messages as turns."""
    turns: list[Turn] = []
    for message in messages:
        if message.get("role") == "user":
            turns.append(Turn(message.get("text", ""), ""))
        elif turns:
            turns[-1] = Turn(turns[-1].question, message.get("text", ""))
    return turns


def as_history(turns: Sequence[Turn], max_tokens: int) -> str:
    """Return the conversation as the model is shown it: the latest turns that fit, oldest first."""
    room, kept = max_tokens, list[str]()
    for shown in map(as_shown, reversed(turns)):
        room -= approximate_tokens(shown)
        if room < 0:
            kept.append(EARLIER)
            break
        kept.append(shown)
    return "\n".join(reversed(kept)) or NO_HISTORY


def as_shown(turn: Turn) -> str:
    """Return a turn as the model is shown it: without labels, because S1 means another passage in each question."""
    answer, _ = remove_unknown_labels(turn.answer, ())
    return f"User: {turn.question}\nAssistant: {OUT_OF_DATE if turn.stale == 'void' else answer}"


def clipped(text: str, most: int) -> str:
    """Return the text in one line of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
