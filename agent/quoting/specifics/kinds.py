"""Kinds of a thing: one rule is on annual leave, another on sick leave."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from agent.facts.normal import folded

_KIND_ZH = re.compile(
    r"(?:年休?|病|事|婚|丧|产|陪产|护理|育儿|哺乳|探亲|工伤|调休|生育|独生子女护理|带薪|寒|暑)假"
    r"|(?:养老|医疗|失业|工伤|生育|意外|商业)保?险"
)
_KIND_EN = re.compile(r"\b(?P<which>[A-Za-z]+) (?P<thing>leave|insurance|allowance|stipend)\b", re.IGNORECASE)
_NO_KIND = frozenset(
    "the a an of my our your this that any some for to much many more paid unpaid i we you they can may must and or in "
    "on is are do does take get have has request book apply approve approves before when if which what whose next last "
    "other another same each every all no such extra additional remaining unused "
    "days weeks months years hours employees staff people workers who not then also only".split()
)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of a thing, as it was written; a longer name is the same kind: 年休假 is 年假."""

    written: str
    thing: str
    pattern: str

    def stands_in(self, held: str) -> bool:
        """Say whether a folded text names it."""
        return bool(re.search(self.pattern, held))


def kinds(text: str) -> Iterator[Kind]:
    """Yield the kinds that a text names."""
    text = unicodedata.normalize("NFKC", text)
    for name in dict.fromkeys(match[0] for match in _KIND_ZH.finditer(text)):
        yield Kind(name, name[-1], ".{0,2}".join(folded(name).replace("休", "")))
    for match in _KIND_EN.finditer(text):
        which, thing = folded(match["which"]), folded(match["thing"])
        if which not in _NO_KIND:
            yield Kind(match[0], thing, rf"{re.escape(which)}.{{0,12}}{thing}")


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
    held = folded(f"{heading}\n{text}")
    if not asked or any(kind.stands_in(held) for kind in asked):
        return False
    named = list(kinds(text)) or list(kinds(heading.rpartition(" > ")[2]))
    return bool({kind.thing for kind in named} & {kind.thing for kind in asked})
