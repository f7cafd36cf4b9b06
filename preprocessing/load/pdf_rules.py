"""The straight lines that a PDF page draws."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

NEAR = 2.5
"""Points by which rules that belong together may miss each other."""
DOUBLE = 7.0
"""Points between the lines of a double rule, where no text fits."""
_THIN = 3.0
_MOST_RULES = 3000
_STROKED = frozenset({b"S", b"s", b"B", b"B*", b"b", b"b*"})
_PAINTED = _STROKED | {b"f", b"F", b"f*"}

Interval = tuple[float, float]
Ruled = dict[float, list[Interval]]
"""Rules of one direction: where they stand, and from where to where they are drawn."""


@dataclass(slots=True)
class Rules:
    """Collects the straight lines that a page draws."""

    across: Ruled = field(default_factory=dict)
    down: Ruled = field(default_factory=dict)
    count: int = 0
    _path: list[tuple[float, float, float, float]] = field(default_factory=list)
    _point: tuple[float, float] = (0.0, 0.0)

    @property
    def is_drawing(self) -> bool:
        """Say whether there are more rules than tables have."""
        return self.count > _MOST_RULES

    def operand(self, operator: bytes, operands: Sequence[Any], cm: Sequence[float], _tm: Sequence[float]) -> None:
        """Take note of a path, and of whether it is painted."""
        if operator in (b"m", b"l") and len(operands) >= 2:
            point = _placed(float(operands[0]), float(operands[1]), cm)
            if operator == b"l":
                self._path.append((*self._point, *point))
            self._point = point
        elif operator == b"re" and len(operands) >= 4:
            x, y, width, height = map(float, operands[:4])
            self._path.append((*_placed(x, y, cm), *_placed(x + width, y + height, cm)))
        elif operator in _PAINTED:
            for x1, y1, x2, y2 in self._path:
                self._draw(min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2), operator in _STROKED)
            self._path.clear()
        elif operator == b"n":
            self._path.clear()

    def _draw(self, left: float, low: float, right: float, high: float, is_stroked: bool) -> None:
        self.count += 1
        if self.is_drawing or (right - left <= _THIN and high - low <= _THIN):
            return
        if high - low <= _THIN:
            _add(self.across, (low + high) / 2, (left, right))
        elif right - left <= _THIN:
            _add(self.down, (left + right) / 2, (low, high))
        elif is_stroked:  # else it is the background of a cell
            for y in (low, high):
                _add(self.across, y, (left, right))
            for x in (left, right):
                _add(self.down, x, (low, high))


def _placed(x: float, y: float, cm: Sequence[float]) -> tuple[float, float]:
    return x * cm[0] + y * cm[2] + cm[4], x * cm[1] + y * cm[3] + cm[5]


def _add(rules: Ruled, place: float, drawn: Interval) -> None:
    near = next((known for known in rules if abs(known - place) <= NEAR), place)
    rules.setdefault(near, []).append(drawn)


def joined(rules: Ruled) -> Ruled:
    """Return the rules with pieces that touch made one."""
    whole_rules: Ruled = {}
    for place, pieces in rules.items():
        whole: list[Interval] = []
        for begin, end in sorted(pieces):
            if whole and begin <= whole[-1][1] + NEAR:
                whole[-1] = (whole[-1][0], max(whole[-1][1], end))
            else:
                whole.append((begin, end))
        whole_rules[place] = whole
    return whole_rules


def covers(rules: Ruled, place: float, at: float) -> bool:
    """Say whether a rule at the place, or its double, is drawn over a point."""
    near = (pieces for known, pieces in rules.items() if abs(known - place) <= DOUBLE)
    return any(begin - NEAR <= at <= end + NEAR for pieces in near for begin, end in pieces)
