"""What falls out of the conversation that a model is shown, in short: the running summary of a session.

It is hearsay: no passage has a label in it, so no answer can rest on it.
"""

import logging
import re
from collections.abc import Callable, Sequence

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel

import prompts
from agent.chat_model import ModelError
from agent.citations import claim_spans, remove_unknown_labels
from agent.claims import find
from agent.facts.source import Source
from agent.language import language_of
from agent.memory import NO_HISTORY, TURNS_READ, Summary, Turn, approximate_tokens, as_history, as_shown
from agent.react.clean import strip_thinking
from agent.react.labels import find_labels
from agent.rewrite import stand_alone
from agent.untrusted import harmless_turns

logger = logging.getLogger(__name__)

Shorten = Callable[[str, Sequence[Turn]], list[str]]
"""Makes the lines of a summary from that of earlier turns and the turns that fall out."""

HEADING = "Earlier, in short (not a source; search again):"
MAX_QUESTION_CHARS, MAX_ANSWER_CHARS = 80, 120
NOT_THERE = {"zh": "文档里没有", "en": "not in the documents"}
_MOST_READ = 4000
"""Tokens of turns that a model is given to shorten, the latest of them."""


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
    """Return the earlier lines and one for each turn: what was asked, standing alone, and how the answer begins."""
    lines = [line for line in earlier.splitlines() if line.strip()]
    for place, turn in enumerate(turns):
        asked = _clipped(stand_alone(turn.question, turns[:place]), MAX_QUESTION_CHARS)
        said = NOT_THERE[language_of(turn.question)] if turn.refused else _beginning(turn.answer)
        lines.append(f"- {asked} → {said}" if said else f"- {asked}")
    return lines


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
    kept = [_clipped(text, MAX_QUESTION_CHARS + MAX_ANSWER_CHARS) for text in texts if not find(text, told)]
    return [f"- {text}" for text in dict.fromkeys(kept)]


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
    return _clipped(" ".join(said), MAX_ANSWER_CHARS)


def _clipped(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
