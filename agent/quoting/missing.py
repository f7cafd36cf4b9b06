"""Say what is missing in the passages that were found: the part of a refusal that a person can act on."""

from collections.abc import Mapping, Sequence

from retrieval.text.language import language_of
from agent.quoting.answer_type import REQUIRED, AnswerType, asked_type
from agent.quoting.candidate import Passage
from agent.quoting.quote import is_of
from agent.quoting.specifics.descriptions import nameless_description
from agent.quoting.specifics.missing import missing_specifics
from agent.quoting.specifics.names import unheard_names
from agent.quoting.units import split_units

_TYPES: Mapping[AnswerType, tuple[str, str]] = {
    "charge": ("是否收费", "whether it is charged for"),
    "share": ("比例", "a percentage"),
    "money": ("金额", "an amount of money"),
    "duration": ("时长", "a length of time"),
    "date": ("日期", "a date"),
    "number": ("数量", "a number"),
}


def missing_parts(question: str, passages: Sequence[Passage]) -> list[str]:
    """Return the terms of the question that no passage has, and the type of answer where none has one, in its language.

    A thing that the question does not name, such as "the country", is asked for.
    """
    whole, chinese = [passage.whole for passage in passages], language_of(question) == "zh"
    parts = list(dict.fromkeys([*missing_specifics(question, whole), *unheard_names(question, whole)]))
    if described := nameless_description(question):
        parts.append(f"“{described}”的名称" if chinese else f"the name of “{described}”")
    kind = asked_type(question)
    units = [unit for passage in passages for unit in split_units(passage.text)]
    if kind in REQUIRED and not any(is_of(kind, unit) for unit in units):
        parts.append(_TYPES[kind][0 if chinese else 1])
    return parts
