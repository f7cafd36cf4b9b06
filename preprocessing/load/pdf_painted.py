"""What a PDF page paints behind its text: filled areas with their colours, and pictures."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from preprocessing.load.pdf_colour import WHITE, Colour

_FILLING = frozenset((b"f", b"F", b"f*", b"B", b"B*", b"b", b"b*"))
_ENDING = _FILLING | {b"S", b"s", b"n"}
_TALL = 0.8
"""Of the height of letters, from which an area is behind them and no rule."""
_MOST = 2000
"""Areas beyond which a page is a drawing, of which nothing is known."""


class Area(NamedTuple):
    """A part of the page and its colour; None where it has many or an unknown one."""

    left: float
    low: float
    right: float
    high: float
    colour: Colour | None

    def holds(self, x: float, y: float) -> bool:
        """Say whether a point is inside."""
        return self.left <= x <= self.right and self.low <= y <= self.high


@dataclass(slots=True)
class Painted:
    """Collects the areas in the order in which they are painted."""

    pictures: list[Area] = field(default_factory=list)
    _areas: list[Area] = field(default_factory=list)
    _path: list[tuple[float, float]] = field(default_factory=list)
    _is_rectangle: bool = True

    @property
    def is_white(self) -> bool:
        """Say whether nothing but white was painted."""
        return not self.pictures and all(area.colour == WHITE for area in self._areas)

    def behind(self, x: float, y: float, height: float) -> Colour | None:
        """Return the colour behind letters of the height at a point; None where it is not known."""
        if len(self._areas) > _MOST:
            return None
        tall = (area for area in reversed(self._areas) if area.high - area.low >= height * _TALL)
        return next((area.colour for area in tall if area.holds(x, y)), WHITE)

    def follow(self, operator: bytes, operands: Sequence[Any], cm: Sequence[float], colour: Colour | None) -> None:
        """Take note of an operation that draws a path or fills it with the colour."""
        match operator:
            case b"re":
                x, y, width, height = map(float, operands)
                self._is_rectangle &= not self._path
                self._path += [_placed(x + dx, y + dy, cm) for dx in (0, width) for dy in (0, height)]
            case b"m" | b"l":
                self._is_rectangle &= operator == b"l" or not self._path
                self._path.append(_placed(float(operands[0]), float(operands[1]), cm))
            case b"c" | b"v" | b"y":
                self._is_rectangle = False
                self._path.append(_placed(float(operands[-2]), float(operands[-1]), cm))
            case b"sh":
                self._areas.append(Area(-math.inf, -math.inf, math.inf, math.inf, None))
            case _ if operator in _ENDING:
                if self._path and operator in _FILLING:
                    self._areas.append(_around(self._path, colour if self._has_four_corners() else None))
                self._path, self._is_rectangle = [], True

    def picture(self, cm: Sequence[float]) -> None:
        """Take note of a picture, which is as large as the unit of the matrix."""
        self.pictures.append(_around([_placed(x, y, cm) for x in (0, 1) for y in (0, 1)], None))

    def _has_four_corners(self) -> bool:
        corners = {(round(x), round(y)) for x, y in self._path}
        sides = ({x for x, _ in corners}, {y for _, y in corners})
        return self._is_rectangle and len(corners) == 4 and all(len(side) == 2 for side in sides)


def _around(points: Sequence[tuple[float, float]], colour: Colour | None) -> Area:
    across, up = [x for x, _ in points], [y for _, y in points]
    return Area(min(across), min(up), max(across), max(up), colour)


def _placed(x: float, y: float, cm: Sequence[float]) -> tuple[float, float]:
    return x * cm[0] + y * cm[2] + cm[4], x * cm[1] + y * cm[3] + cm[5]
