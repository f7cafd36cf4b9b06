"""Rules for follow-ups in English, each named for what it mends."""

import re
from typing import Literal

from agent.topic_english import CONTENT, content_words, names_topic

Opening = Literal["", "switches"]

_FRAGMENT_WORDS = 6

_SWITCH = re.compile(
    r"(?:(?:by the way|btw|on another note|(?:another|one more) (?:question|thing)|"
    r"(?:a |on a )?(?:different|new|another) (?:question|topic|note)|"
    r"unrelated(?: question)?|changing (?:the )?(?:subject|topic)|separately)\b[\s,:;.-]*)+(?=.)",
    re.IGNORECASE,
)
_JOINER = re.compile(r"(?:and|or|but|so|also|then)\b[\s,]*(?=.)", re.IGNORECASE)
_ABOUT = re.compile(
    r"(?:(?:ok|okay|oh|and|but|so)\b[\s,.]*)*(?:(?:what|how) about|same for)\b[\s,]*(?=.)", re.IGNORECASE
)
_BEGINS_A_SENTENCE = frozenset(
    "what which who when where why how is are was were do does did can could may must should will would if i we "
    "you".split()
)
_GENERIC = (
    "(?:policy|policies|rules?|documents?|limits?|codes?|errors?|leave|programs?|systems?|benefits?|process|forms?|"
    "company|team|place|thing|requests?|requirements?|allowances?)"
)
_ENDS_HERE = r"(?=\s*(?:[?.,!]|$))"
_PRONOUN = re.compile(
    rf"\b(?:(?:this|that|these|those)\s+{_GENERIC}\b|(?P<whose>its|their|his|her(?=\s+[a-z]))\b(?!\s+own)"
    r"|(?:it|they|them|he|she|him|her)\b(?!')"
    rf"|(?P<bare>(?:these|those|this)\b(?:{_ENDS_HERE}|(?=\s+(?:is|are|was|were|also|still|too|work|mean|apply|applies|take)"
    r"\b(?!\s+(?:an?|the|all)\b))))"
    rf"|(?<!like )(?<!all )that\b{_ENDS_HERE}|(?<=does )that\b|(?<=did )that\b|(?<=would )that\b"
    r"|(?<!is )(?<!are )(?<!was )(?<!were )(?P<place>there)\b"
    rf"(?:{_ENDS_HERE}|(?=\s+(?:compared|for|when|if|and|to)\b)))",
    re.IGNORECASE,
)
_ONE = re.compile(
    r"\b(?P<before>(?:an?|the|new|another)\s+(?:[\w-]+\s+)??)ones?\b(?!\s+(?:of|that|who|which|in)\b)", re.IGNORECASE
)
_EXPLETIVE = re.compile(
    r"\bit(?:'s|\s+(?:is|was|be))?\s+(?:takes?|costs?|possible|ok|okay|allowed|necessary|true|legal|mandatory|required|"
    r"likely|important|safe|mean|matter)\b.*\s(?:to|that|if|when|for)\b|\bmakes? it\b",
    re.IGNORECASE,
)
"""Points at nothing before it: "Is it possible to …", "How long does it take to …"."""
_BOUNDARY = re.compile(
    r"[,;:.?!]|\b(?:that|who|which|when|while|if|than|because|(?:after|before)(?= \w+ing)|and (?=(?:wh|how)))\b",
    re.IGNORECASE,
)
_PREPOSITION = re.compile(
    r"(?:for|in|on|at|after|before|during|under|over|with|without|from|to|by|as|when|while|if)\b", re.IGNORECASE
)
_QUANTITY = re.compile(
    r"\$?\d[\d,.]*\s*(?P<unit>years?|months?|days?|weeks?|hours?|%|percent|dollars?|people|employees)(?!\w)",
    re.IGNORECASE,
)


def without_opening(question: str) -> tuple[str, Opening]:
    """Take off words that announce another topic: "by the way, …"."""
    text = question.strip()
    match = _SWITCH.match(text)
    return (text[match.end() :], "switches") if match else (text, "")


def fragment(rest: str, opening: str) -> str:
    """Return what a question without a verb names: "contractors" of "what about contractors?"; else nothing."""
    joined = _ABOUT.match(rest) or _JOINER.match(rest)
    if not joined or opening or external_pronoun(rest) or _ONE.search(rest):
        return ""
    subject = rest[joined.end() :].rstrip("?？. ")
    words = subject.split()
    if not 0 < len(words) <= _FRAGMENT_WORDS or words[0].lower() in _BEGINS_A_SENTENCE or "?" in subject:
        return ""
    return subject


def substitute(subject: str, previous: str) -> str:
    """Ask the previous question about another subject.

    It takes the place of the quantity of its unit (15 years for 3 years), of a name, or of the words that end as it
    does (sick leave for annual leave); else it is added, as a condition.
    """
    stem = previous.rstrip("?？. ")
    quantity = _QUANTITY.search(subject)
    units = _QUANTITY.finditer(stem)
    same_unit = quantity and next((m for m in units if _singular(m["unit"]) == _singular(quantity["unit"])), None)
    if quantity and same_unit:
        return f"{stem[: same_unit.start()]}{quantity[0]}{stem[same_unit.end() :]}?"
    if _PREPOSITION.match(subject):
        return f"{stem} {subject}?"
    subject = re.sub(r"^(?:the|a|an|my|our|your)\s+", "", subject, flags=re.IGNORECASE)
    names = re.findall(r"(?<=\s)[A-Z][\w'-]+(?:\s+[A-Z][\w'-]+)*", stem)
    if names and subject[0].isupper():
        return f"{stem.replace(names[-1], subject, 1)}?"
    same_end = re.search(rf"(?:{CONTENT} ){{0,2}}{re.escape(subject.split()[-1])}(?!\w)", stem, re.IGNORECASE)
    if same_end and " " in subject:
        return f"{stem[: same_end.start()]}{subject}{stem[same_end.end() :]}?"
    return f"{stem} for {subject}?"


def _singular(unit: str) -> str:
    return unit.lower().rstrip("s")


def fill_in(rest: str, opening: str, topic_before: str) -> str:
    """Put the topic of the conversation where the question points at it or leaves it out."""
    pronoun = external_pronoun(rest)
    if pronoun and opening != "switches":
        whose = "'s" if pronoun["whose"] and not topic_before.endswith("s") else ""
        where = "in " if pronoun["place"] else ""
        return f"{rest[: pronoun.start()]}{where}{topic_before}{whose}{rest[pronoun.end() :]}"
    again = _named_again(rest, topic_before)
    if again and opening != "switches":
        return f"{rest[: again.start()]}{topic_before}{rest[again.end() :]}"
    one = _ONE.search(rest)
    if one and not _is_bound(rest[: one.start()], whose=False) and opening != "switches":
        return f"{rest[: one.end('before')]}{topic_before}{rest[one.end() :]}"
    if not names_topic(rest):
        return f"{rest.rstrip('?？. ')} - {topic_before}?"
    return rest


def _named_again(text: str, topic_before: str) -> re.Match[str] | None:
    """Find the noun of the topic with an article: "the allowance" where the topic is "meal allowance"."""
    before, _, noun = topic_before.rpartition(" ")
    if not before or not noun.isalpha() or noun.isupper() or re.search(r"\b(?:of|for|in|on|at|to|with)\b", before):
        return None
    again = (
        rf"\b(?:the|this|that|these|those)\s+{re.escape(_singular(noun))}s?\b(?!\s+(?:of|for|in|on|that|which|who)\b)"
    )
    return re.search(again, text, re.IGNORECASE)


def external_pronoun(text: str) -> re.Match[str] | None:
    """Find a pronoun that points out of the question.

    One inside it is bound: by content in an earlier clause, or, if it says whose, by content before it in its own.
    "How does exercise affect it" is not bound: the object is never the subject.
    """
    if _EXPLETIVE.search(text):
        return None
    for match in _PRONOUN.finditer(text):
        if not _is_bound(text[: match.start()], whose=bool(match["whose"] or match["bare"])):
            return match
    return None


def _is_bound(before: str, *, whose: bool) -> bool:
    # A sentence before this one, such as "That's interesting.", binds nothing.
    before = re.split(r"[.!?]\s", before)[-1]
    boundaries = list(_BOUNDARY.finditer(before))
    earlier = before[: boundaries[-1].start()] if boundaries else ""
    return bool(content_words(before if whose else earlier))
