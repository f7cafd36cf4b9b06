"""Terms of a question that its answer cannot do without: codes, article numbers, years, versions, places, kinds."""

import re
import unicodedata
from collections.abc import Iterator

from agent.facts.normal import folded
from agent.language import language_of
from retrieval.numerals import fold_ordinals

_NAMED = re.compile(
    r"第\d+[条章节款项]"
    # ERR_4032, GB/T 7714, V3, p6; letters and number apart only when the letters are capitals, so not "first 30".
    r"|(?:[A-Za-z]+(?:[-_/][A-Za-z]+)*[-_]?|[A-Z]+(?:/[A-Z]+)? )\d+(?:[-_.]\d+)*"
    r"|(?<![\d.,])\d{4,}(?![\d.,]*\d)(?!\s*(?:元|块|人|yuan|people))"
    r"|(?:(?<=code )|(?<=error )|(?<=代码)|(?<=编号)|(?<=错误码))\d{2,}"
)
_KIND_ZH = re.compile(
    r"(?:年休?|病|事|婚|丧|产|陪产|护理|育儿|哺乳|探亲|工伤|调休|生育|独生子女护理|带薪|寒|暑)假"
    r"|(?:养老|医疗|失业|工伤|生育|意外|商业)保?险"
)
_KIND_EN = re.compile(r"\b(?P<which>[A-Za-z]+) (?P<thing>leave|insurance|allowance|stipend)\b", re.IGNORECASE)
_NO_KIND = frozenset(
    "the a an of my our your this that any some for to much many more paid unpaid i we you they can may must and or in "
    "on is are do does take get have has request book apply approve approves before when if".split()
)
_NO_PLACE = frozenset("中国 国内 我国 国外".split())
_DIRECTIONS = frozenset("东西南北新旧上下左右前后内外大小老")
"""A word of these alone, such as 东西 or 新旧, is taken for a place by the tagger."""


def missing_specifics(question: str, evidence: str) -> list[str]:
    """Return the specific terms of the question that stand nowhere in the evidence, as they were written.

    Case, width, separators (ERR-4032 for err_4032) and the form of numerals do not matter.
    """
    held = folded(evidence)
    missing = [term for term in dict.fromkeys(_specifics(question)) if folded(term) not in held]
    return [*missing, *_other_kinds(question, held)]


def _other_kinds(question: str, held: str) -> Iterator[str]:
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


def _specifics(question: str) -> Iterator[str]:
    text = fold_ordinals(unicodedata.normalize("NFKC", question))
    yield from (match[0].strip() for match in _NAMED.finditer(text))
    if language_of(text) == "zh":
        yield from _places(text)


def _places(text: str) -> Iterator[str]:
    # The dictionary takes a moment to load.
    import rjieba

    for word, tag in rjieba.tag(text):
        if tag == "ns" and word not in _NO_PLACE and not set(word) <= _DIRECTIONS:
            yield word
