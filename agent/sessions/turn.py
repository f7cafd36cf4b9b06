"""The turns of a conversation, how a model is shown them, and what falls out of that in short: the running summary.

A summary is hearsay: no passage has a label in it, so no answer can rest on it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from agent.checks.citations import claim_spans, remove_unknown_labels
from prompts import approximate_tokens
from retrieval.text.folding import language_of

TURNS_READ = 50
"""Turns of a session that are looked at; those before are in its summary."""
MAX_QUESTION_CHARS, MAX_ANSWER_CHARS = 80, 120
"""Of one turn in a summary."""
NO_HISTORY = "(none)"
OUT_OF_DATE = "(out of date: a document has changed since)"
HEADING = "Earlier, in short (not a source; search again):"
NOT_THERE = {"zh": "文档里没有", "en": "not in the documents"}

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


Shorten = Callable[[str, Sequence[Turn]], list[str]]
"""Makes the lines of a summary from that of earlier turns and the turns that fall out."""


def as_turns(messages: Sequence[dict[str, str]]) -> list[Turn]:
    """Return a conversation given as `{"role": "user" | "assistant", "text": …}` messages as turns."""
    turns: list[Turn] = []
    for message in messages:
        if message.get("role") == "user":
            turns.append(Turn(message.get("text", ""), ""))
        elif turns:
            turns[-1] = Turn(turns[-1].question, message.get("text", ""))
    return turns


def as_history(turns: Sequence[Turn], max_tokens: int, summary: Summary = Summary()) -> str:
    """Return the conversation as the model is shown it: the summary, then the latest turns that fit, oldest first."""
    head = [f"{HEADING}\n{summary.text}"] if summary.text else []
    shown = _latest(map(as_shown, turns), max_tokens - approximate_tokens("".join(head)))
    return "\n".join([*head, *shown]) or NO_HISTORY


def as_shown(turn: Turn) -> str:
    """Return a turn as the model is shown it: without labels, because S1 means another passage in each question."""
    answer, _ = remove_unknown_labels(turn.answer, ())
    return f"User: {turn.question}\nAssistant: {OUT_OF_DATE if turn.stale == 'void' else answer}"


def fold(summary: Summary, turns: Sequence[Turn], max_tokens: int, shorten: Shorten) -> tuple[Summary, list[Turn]]:
    """Return the summary with the oldest turns taken in, and the turns that stay; as they were while all of it fits.

    More is taken in than must be, so that the next turns fit without another summary.
    """
    summary_room = max_tokens // 5
    sizes = [approximate_tokens(as_shown(turn)) for turn in turns]
    fits = sum(sizes) <= max_tokens - (summary_room if summary.text else 0)
    if not max_tokens or (fits and len(turns) < TURNS_READ):
        return summary, list(turns)
    left = (max_tokens - summary_room) // 2
    first = len(turns)
    while first and (left := left - sizes[first - 1]) >= 0 and first > len(turns) - TURNS_READ // 2:
        first -= 1
    if first == len(turns) and sizes[-1] <= max_tokens - summary_room:
        first -= 1
    if not first:
        return summary, list(turns)
    lines = _latest(shorten(summary.text, turns[:first]), summary_room - approximate_tokens(HEADING))
    return Summary("\n".join(lines), turns[first - 1].number), list(turns[first:])


def shorten_by_rules(earlier: str, turns: Sequence[Turn]) -> list[str]:
    """Return the earlier lines and one for each turn: what was asked, and how the answer begins."""
    lines = [line for line in earlier.splitlines() if line.strip()]
    for turn in turns:
        asked = clipped(turn.question, MAX_QUESTION_CHARS)
        said = NOT_THERE[language_of(turn.question)] if turn.refused else _beginning(turn.answer)
        lines.append(f"- {asked} → {said}" if said else f"- {asked}")
    return lines


def clipped(text: str, most: int) -> str:
    """Return the text in one line of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _latest(texts: Iterable[str], room: int) -> list[str]:
    """Return the last texts that take no more than so many tokens."""
    kept: list[str] = []
    for text in reversed(list(texts)):
        room -= approximate_tokens(text)
        if room < 0:
            break
        kept.insert(0, text)
    return kept


def _beginning(answer: str) -> str:
    """Return the first sentence of an answer that says something, or the first row of a table with its header."""
    text, _ = remove_unknown_labels(answer, ())
    said: list[str] = []
    for start, end in claim_spans(text):
        sentence = text[start:end].strip()
        if sentence.endswith((":", "：")) and not said:
            continue
        said.append(sentence)
        if not sentence.startswith("|") or len(said) == 2:
            break
    return clipped(" ".join(said), MAX_ANSWER_CHARS)
