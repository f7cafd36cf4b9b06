"""Kinds of a thing: one rule is on annual leave, another on sick leave."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from agent.facts.normal import folded

_KIND_ZH = re.compile(
    r"(?:年休?|病|事|婚|丧|产|陪产|护理|育儿|哺乳|探亲|工伤|调休|生育|独生子女护理|寒|暑)假"
    r"|(?:养老|医疗|失业|工伤|生育|意外|商业)保?险"
)
_SAME_ZH = {"陪产": "陪产|护理", "护理": "护理|陪产", "医疗": "医疗|医"}
"""Other words for the same kind."""
_LEAVE = (
    "annual vacation sick medical maternity paternity parental home marriage wedding bereavement funeral compassionate "
    "study personal casual family military jury adoption carer caregiver childcare breastfeeding sabbatical emergency "
    "compensatory"
)
_NO_KIND = frozenset(
    "the a an of my our your their its this that any some for to more paid i we you they can may must and or in on is "
    "are do does did take get have has buy need with without under by from which what whose other another same each "
    "every all no such extra additional company".split()
)
_KIND_EN = re.compile(
    rf"\b(?:(?P<leave>{'|'.join(_LEAVE.split())}) leave|(?P<insurance>[a-z]+) insurance)\b",
    re.IGNORECASE,
)
_SAME_EN = {"annual": "annual|vacation|paid", "vacation": "annual|vacation|paid", "medical": "medical|health|sick"}
_SAME_EN |= {"health": "medical|health", "sick": "sick|medical"}
_ALL_KINDS = re.compile(r"(?:各[类种项]|所有|全部|任何)的?假|(?:any|all|each|every)(?:types?of|kindsof)?leave")
"""What is said of all of them, in a folded text, is said of each."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of a thing, as it was written; a longer name is the same kind: 年休假 is 年假."""

    written: str
    thing: str
    pattern: str

    def stands_in(self, held: str) -> bool:
        """Say whether a folded text names it, or all of its kind."""
        return bool(re.search(self.pattern, held) or _ALL_KINDS.search(held))


def kinds(text: str) -> Iterator[Kind]:
    """Yield the kinds that a text names."""
    text = unicodedata.normalize("NFKC", text)
    for name in dict.fromkeys(match[0] for match in _KIND_ZH.finditer(text)):
        which, thing = re.sub("(?:休?假|保?险)$", "", name), name[-1]
        ending = "[保险]" if thing == "险" else thing
        yield Kind(name, thing, rf"(?:{_SAME_ZH.get(which, '.{0,2}'.join(which))}).{{0,2}}{ending}")
    for match in _KIND_EN.finditer(text):
        thing = "leave" if match["leave"] else "insurance"
        which = (match["leave"] or match["insurance"]).lower()
        if which not in _NO_KIND:
            yield Kind(match[0], thing, rf"(?:{_SAME_EN.get(which, which)}).{{0,12}}{thing}")


def other_kinds(question: str, held: str) -> Iterator[str]:
    """Yield the kinds that the question asks about, where the evidence speaks of other kinds of the same thing only.

    The rule on 年假 does not answer a question on 探亲假, nor that on annual leave one on home leave.
    """
    for kind in kinds(question):
        if kind.thing in held and not kind.stands_in(held):
            yield kind.written


def is_of_other_kind(question: str, heading: str, text: str) -> bool:
    """Say whether a text under a heading is about another kind of what the question asks about.

    `heading` is `title > section`, of which the last part counts where the text names no kind.
    """
    asked = list(kinds(question))
    # Asked of every unit of every question, most of which name no kind.
    if not asked:
        return False
    held = folded(f"{heading}\n{text}")
    if any(kind.stands_in(held) for kind in asked):
        return False
    named = list(kinds(text)) or list(kinds(heading.rpartition(" > ")[2]))
    return bool({kind.thing for kind in named} & {kind.thing for kind in asked})
