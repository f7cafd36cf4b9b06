"""Read what tells things of one kind apart by a letter or a heavenly stem: 甲方, 员工丁, 方案 B, Party A, Annex C."""

import re

from agent.facts.fact import Fact, Reader

_STEMS = "甲乙丙丁戊己庚辛壬癸"
_LETTERS = "ABCDEFGHIJ"
_KINDS = {
    "方": "party",
    "员工": "employee",
    "方案": "option",
    "组": "group",
    "类": "class",
    "级": "grade",
    "附件": "annex",
    "附录": "annex",
    "附表": "annex",
    "供应商": "supplier",
    "候选人": "candidate",
    "项目": "project",
    "部门": "department",
    "客户": "customer",
    "用户": "user",
    "appendix": "annex",
    "exhibit": "annex",
    "plan": "option",
    "type": "class",
    "vendor": "supplier",
}
"""Kinds that have several names, or a Chinese one."""
_AFTER = "方类级组"
"""Chinese kinds that stand after the letter: 甲方, but 员工甲."""
_BEFORE_ZH = "|".join(name for name in _KINDS if not name.isascii() and name not in _AFTER)
_BEFORE_EN = (
    "party|employee|option|plan|group|class|type|grade|annex|appendix|exhibit|supplier|vendor|candidate|project|"
    "department|customer|user|team"
)
_DESIGNATION = re.compile(
    rf"(?<![A-Za-z\d])(?!己方)(?P<mark_1>[{_STEMS}{_LETTERS}])\s?(?P<kind_1>[{_AFTER}])(?!案)"
    rf"|(?P<kind_2>{_BEFORE_ZH})\s?(?P<mark_2>[{_STEMS}{_LETTERS}])(?![A-Za-z\d]|[醛醇烯苯烷肝脑级类型])"
    # I is a person, and not the ninth of its kind; A. Smith is one as well.
    rf"|\b(?i:(?P<kind_3>{_BEFORE_EN})) (?P<mark_3>[A-HJ])\b(?!['’.-]\w|\. [A-Z])"
)


def _read_designation(match: re.Match[str]) -> list[Fact]:
    kind, mark = next((match[f"kind_{n}"], match[f"mark_{n}"]) for n in (1, 2, 3) if match[f"kind_{n}"])
    kind = _KINDS.get(kind.lower(), kind.lower())
    letter = _LETTERS[_STEMS.index(mark)] if mark in _STEMS else mark
    return [Fact(f"{kind} {letter}", "identifier")]


DESIGNATION = Reader(_DESIGNATION, _read_designation)
