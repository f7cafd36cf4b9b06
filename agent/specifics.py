"""Terms of a question that its answer cannot do without: codes, article numbers, years, versions, places."""

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
_NO_PLACE = frozenset("中国 国内 我国 国外".split())
_DIRECTIONS = frozenset("东西南北新旧上下左右前后内外大小老")
"""A word of these alone, such as 东西 or 新旧, is taken for a place by the tagger."""


def missing_specifics(question: str, evidence: str) -> list[str]:
    """Return the specific terms of the question that stand nowhere in the evidence, as they were written.

    Case, width, separators (ERR-4032 for err_4032) and the form of numerals do not matter.
    """
    held = folded(evidence)
    return [term for term in dict.fromkeys(_specifics(question)) if folded(term) not in held]


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
