"""Kinds of a thing: one rule is on annual leave, another on sick leave."""

import re
import unicodedata
from collections.abc import Iterator

from agent.facts.normal import folded

_KIND_ZH = re.compile(
    r"(?:年休?|病|事|婚|丧|产|陪产|护理|育儿|哺乳|探亲|工伤|调休|生育|独生子女护理|带薪|寒|暑)假"
    r"|(?:养老|医疗|失业|工伤|生育|意外|商业)保?险"
)
_KIND_EN = re.compile(r"\b(?P<which>[A-Za-z]+) (?P<thing>leave|insurance|allowance|stipend)\b", re.IGNORECASE)
_NO_KIND = frozenset(
    "the a an of my our your this that any some for to much many more paid unpaid i we you they can may must and or in "
    "on is are do does take get have has request book apply approve approves before when if which what whose next last "
    "other another same each every all no such extra additional remaining unused".split()
)


def other_kinds(question: str, held: str) -> Iterator[str]:
    """Yield the kinds that the question asks about, where the evidence speaks of other kinds of the same thing only.

    The rule on 年假 does not answer a question on 探亲假, nor that on annual leave one on home leave. A longer name is
    the same kind: 年休假 is 年假.
    """
    asked = unicodedata.normalize("NFKC", question)
    for kind in dict.fromkeys(match[0] for match in _KIND_ZH.finditer(asked)):
        if kind[-1] in held and not re.search(".{0,2}".join(folded(kind).replace("休", "")), held):
            yield kind
    for match in _KIND_EN.finditer(asked):
        which, thing = folded(match["which"]), folded(match["thing"])
        if which not in _NO_KIND and thing in held and not re.search(rf"{re.escape(which)}.{{0,12}}{thing}", held):
            yield match[0]
