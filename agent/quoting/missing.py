"""Say what is missing in the passages that were found: the part of a refusal that a person can act on."""

from collections.abc import Mapping, Sequence

from agent.quoting.answer_type import REQUIRED, AnswerType, asked_type
from agent.quoting.candidate import Passage
from agent.quoting.quote import is_of
from agent.quoting.specifics.missing import missing_specifics
from agent.quoting.specifics.names import unheard_names
from agent.quoting.units import split_units
from retrieval.text.language import language_of

_TYPES: Mapping[AnswerType, tuple[str, str]] = {
    "share": ("比例", "a percentage"),
    "money": ("金额", "an amount of money"),
    "duration": ("时长", "a length of time"),
    "date": ("日期", "a date"),
    "number": ("数量", "a number"),
}


def missing_parts(question: str, passages: Sequence[Passage]) -> list[str]:
    """Return the terms of the question that no passage has, and the type of answer where none has one, in its language.
    """
    whole, chinese = [passage.whole for passage in passages], language_of(question) == "zh"
    parts = list(dict.fromkeys([*missing_specifics(question, whole), *unheard_names(question, whole)]))
    kind = asked_type(question)
    units = [unit for passage in passages for unit in split_units(passage.text)]
    if kind in REQUIRED and not any(is_of(kind, unit) for unit in units):
        parts.append(_TYPES[kind][0 if chinese else 1])
    return parts
