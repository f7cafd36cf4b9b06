"""The turns of a conversation, and how a model is shown them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from agent.checks.citations import remove_unknown_labels
from prompts import approximate_tokens

NO_HISTORY = "(none)"
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


@dataclass(frozen=True, slots=True)
class Summary:
    """What was said before the turns that are shown, in short."""

    text: str = ""
    through: int = 0
    """Number of the last turn that is in it."""


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
    """Return the conversation as the model is shown it: the latest turns that fit, oldest first.

    Labels of earlier answers are taken out, because S1 means another passage in each question.
    """
    shown: list[str] = []
    left = max_tokens
    for turn in reversed(turns):
        text = as_shown(turn)
        left -= approximate_tokens(text)
        if left < 0:
            break
        shown.append(text)
    return "\n".join(reversed(shown)) or NO_HISTORY


def as_shown(turn: Turn) -> str:
    """Return a turn as the model is shown it."""
    answer, _ = remove_unknown_labels(turn.answer, ())
    return f"User: {turn.question}\nAssistant: {OUT_OF_DATE if turn.stale == 'void' else answer}"
