"""What a conversation is about, and the next question read in its light."""

import re
import unicodedata
from dataclasses import dataclass

from agent import follow_up_chinese, follow_up_english, topic_chinese, topic_english
from agent.language import language_of

_CODE = re.compile(r"(?<![A-Za-z\d])(?P<letters>[A-Za-z]+[-_/]?)(?P<digits>\d+)(?![A-Za-z\d_.-])")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that stands alone, with what it is about."""

    question: str
    topic: str
    """In the words of the conversation; a follow-up keeps the topic of the question before it."""


def start(question: str) -> Asked:
    """Begin a conversation."""
    return Asked(question, _topic(question))


def resolve(question: str, before: Asked) -> Asked:
    """Return the question as it would be asked without the conversation; itself when it stands alone.

    A pronoun or a missing topic takes the topic; a fragment asks the question before it about something else.
    """
    language = follow_up_chinese if language_of(question) == "zh" else follow_up_english
    rest, opening = language.without_opening(question)
    fragment = language.fragment(rest, opening)
    if fragment and language_of(before.question) == language_of(question):
        return start(_next_code(fragment, before.question) or language.substitute(fragment, before.question))
    resolved = language.fill_in(rest, opening, before.topic) if before.topic else rest
    if resolved != rest:
        return Asked(resolved, before.topic)
    if opening:
        return start(rest)
    return Asked(question, _topic(question) or before.topic)


def _next_code(fragment: str, previous: str) -> str:
    """Ask the previous question about the code with these digits: ERR_4033 for 4033 after ERR_4032; else nothing.

    Where the question has other digits too, nobody knows which are meant.
    """
    digits = unicodedata.normalize("NFKC", fragment).strip()
    code = _CODE.search(previous)
    if not code or not digits.isdecimal() or len(digits) != len(code["digits"]):
        return ""
    if re.search(r"\d", previous[: code.start()] + previous[code.end() :]):
        return ""
    return f"{previous[: code.start()]}{code['letters']}{digits}{previous[code.end() :]}"


def _topic(question: str) -> str:
    return topic_chinese.topic(question) if language_of(question) == "zh" else topic_english.topic(question)
