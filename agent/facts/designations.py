"""Read what tells things of one kind apart by a letter or a heavenly stem: 甲方, 员工丁, 方案 B, Party A, Annex C."""

import re
from collections.abc import Iterable, Iterator

from agent.facts.normal import half_width

_STEMS = "甲乙丙丁戊己庚辛壬癸"
_LETTERS = "ABCDEFGHIJ"
_AFTER = "方类级组"
"""Chinese kinds that stand after the letter: 甲方, but 员工甲."""
_BEFORE_ZH = "员工|方案|附件|附录|附表|供应商|候选人|项目|部门|客户|用户"
_BEFORE_EN = (
    "party|employee|option|plan|group|class|type|grade|annex|appendix|exhibit|supplier|vendor|candidate|project|"
    "department|customer|user|team"
)
_DESIGNATION = re.compile(
    rf"(?<![A-Za-z\d])(?!己方)(?P<mark_1>[{_STEMS}{_LETTERS}])\s?[{_AFTER}](?!案)"
    rf"|(?:{_BEFORE_ZH})\s?(?P<mark_2>[{_STEMS}{_LETTERS}])(?=[^A-Za-z\d\u4e00-\u9fff]|[的在于是有持没无未和与及为由将应须可需属]|$)"
    # I is a person, and not the ninth of its kind; A. Smith is one as well.
    rf"|\b(?i:{_BEFORE_EN}) (?P<mark_3>[A-HJ])\b(?![/’'.-]\w|\. [A-Z])"
)
_ALONE = re.compile(rf"[{_STEMS}]|(?<![A-Za-z\d])[{_LETTERS}](?![A-Za-z\d])")
"""A mark anywhere: in a cell, at the beginning of a list item, in 甲乙双方 and in A、B类."""


def designations(text: str) -> dict[str, str]:
    """Return the designations of a text as they are written, by their letters; 甲 and A are one."""
    found = {}
    for match in _DESIGNATION.finditer(half_width(text)):
        mark = next(filter(None, match.groups()))
        found[_letter(mark)] = match[0]
    return found


def designations_not_in(texts: Iterable[str], claim: str) -> Iterator[str]:
    """Yield the designations of a claim whose letter stands nowhere in the texts, though others do.

    Only letters are compared: a table may call Plan B just B. Any between the first and the last of the texts may be
    meant, as in A–C.
    """
    said = designations(claim)
    held = {_letter(match[0]) for text in texts for match in _ALONE.finditer(half_width(text))} if said else set()
    for letter, written in said.items():
        if held and not min(held) <= letter <= max(held):
            yield written


def _letter(mark: str) -> str:
    return _LETTERS[_STEMS.index(mark)] if mark in _STEMS else mark
