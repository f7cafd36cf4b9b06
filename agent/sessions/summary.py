"""What falls out of the conversation that a model is shown, in short: the running summary of a session.

It is hearsay: no passage has a label in it, so no answer can rest on it.
"""

from collections.abc import Callable, Sequence

from agent.checks.citations import claim_spans, remove_unknown_labels
from agent.sessions.store import TURNS_READ
from agent.sessions.turn import NO_HISTORY, Summary, Turn, as_history, as_shown
from prompts import approximate_tokens
from retrieval.text.folding import language_of

Shorten = Callable[[str, Sequence[Turn]], list[str]]
"""Makes the lines of a summary from that of earlier turns and the turns that fall out."""

HEADING = "Earlier, in short (not a source; search again):"
MAX_QUESTION_CHARS, MAX_ANSWER_CHARS = 80, 120
NOT_THERE = {"zh": "文档里没有", "en": "not in the documents"}


def summary_room(max_tokens: int) -> int:
    """Return how many of the tokens of a conversation its summary may take."""
    return max_tokens // 5


def fold(summary: Summary, turns: Sequence[Turn], max_tokens: int, shorten: Shorten) -> tuple[Summary, list[Turn]]:
    """Return the summary with the oldest turns taken in, and the turns that stay; as they were while all of it fits.

    More is taken in than must be, so that the next turns fit without another summary.
    """
    room = max_tokens - (summary_room(max_tokens) if summary.text else 0)
    sizes = [approximate_tokens(as_shown(turn)) for turn in turns]
    if not max_tokens or (sum(sizes) <= room and len(turns) < TURNS_READ):
        return summary, list(turns)
    left = (max_tokens - summary_room(max_tokens)) // 2
    first = len(turns)
    while first and (left := left - sizes[first - 1]) >= 0 and first > len(turns) - TURNS_READ // 2:
        first -= 1
    if first == len(turns) and sizes[-1] <= max_tokens - summary_room(max_tokens):
        first -= 1
    if not first:
        return summary, list(turns)
    lines = shorten(summary.text, turns[:first])
    text = "\n".join(_latest(lines, summary_room(max_tokens) - approximate_tokens(HEADING)))
    return Summary(text, turns[first - 1].number), list(turns[first:])


def with_summary(summary: Summary, turns: Sequence[Turn], max_tokens: int) -> str:
    """Return the conversation as the model is shown it: the summary, then the latest turns that fit."""
    head = f"{HEADING}\n{summary.text}" if summary.text else ""
    history = as_history(turns, max_tokens - approximate_tokens(head))
    if not head:
        return history
    return head if history == NO_HISTORY else f"{head}\n{history}"


def shorten_by_rules(earlier: str, turns: Sequence[Turn]) -> list[str]:
    """Return the earlier lines and one for each turn: what was asked, and how the answer begins."""
    lines = [line for line in earlier.splitlines() if line.strip()]
    for turn in turns:
        asked = clipped(turn.question, MAX_QUESTION_CHARS)
        said = NOT_THERE[language_of(turn.question)] if turn.refused else _beginning(turn.answer)
        lines.append(f"- {asked} → {said}" if said else f"- {asked}")
    return lines


def _latest(lines: Sequence[str], room: int) -> list[str]:
    """Return the last lines that take no more than so many tokens."""
    kept: list[str] = []
    for line in reversed(lines):
        room -= approximate_tokens(line)
        if room < 0:
            break
        kept.insert(0, line)
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


def clipped(text: str, most: int) -> str:
    """Return the text in one line of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
