"""Find the text of a PDF page that people do not see: in the colour behind it, too small, or drawn invisibly."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from preprocessing.load.pdf.tables import FILLING, Path, placed

SMALLEST = 1.0
"""Points; nobody reads smaller letters."""
LEAST_LETTERS = 3
_INVISIBLE = 3
"""Text rendering mode of the layer that OCR lays over a scan, and of text that is hidden."""
_SHOWING = frozenset((b"Tj", b"TJ", b"'", b'"'))
_TALL = 0.8
"""Of the height of letters, from which an area is behind them and no rule."""
_MOST = 2000
"""Areas beyond which a page is a drawing, of which nothing is known."""
Colour = tuple[float, float, float]
BLACK: Colour = (0.0, 0.0, 0.0)
WHITE: Colour = (1.0, 1.0, 1.0)
SPACES = {1: "/DeviceGray", 3: "/DeviceRGB", 4: "/DeviceCMYK"}
"""Colour spaces by the number of their parts."""
_ALIKE = 0.03
"""Difference in each part that nobody sees."""


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
    _path: Path = field(default_factory=Path)

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
        if operator == b"sh":
            self._areas.append(Area(-math.inf, -math.inf, math.inf, math.inf, None))
        elif operator in FILLING and self._path.corners:
            self._areas.append(_around(self._path.corners, colour if self._has_four_corners() else None))
        self._path.follow(operator, operands, cm)

    def picture(self, cm: Sequence[float]) -> None:
        """Take note of a picture, which is as large as the unit of the matrix."""
        self.pictures.append(_around([placed(x, y, cm) for x in (0, 1) for y in (0, 1)], None))

    def _has_four_corners(self) -> bool:
        corners = {(round(x), round(y)) for x, y in self._path.corners}
        sides = ({x for x, _ in corners}, {y for _, y in corners})
        return self._path.is_rectangle and len(corners) == 4 and all(len(side) == 2 for side in sides)


@dataclass(frozen=True, slots=True)
class _State:
    """What `q` keeps and `Q` brings back."""

    colour: Colour | None = BLACK
    space: str = "/DeviceGray"
    mode: int = 0
    font: str = ""
    size: float = 0.0


@dataclass(slots=True)
class Unseen:
    """Follows what a page draws, as its reader meets it, and tells which strings people do not see."""

    resources: Mapping[str, Any]
    pictures: Sequence[Area] = ()
    """Those of the whole page, once they are known. What stands over one, drawn before or after it, is taken to be
    seen: it is the text layer of a scan, or a caption."""
    found: bool = False
    painted: Painted = field(default_factory=Painted)
    _state: _State = field(default_factory=_State)
    _kept: list[_State] = field(default_factory=list)
    _forms: list[tuple[_State, int]] = field(default_factory=list)

    def before(self, operator: bytes, operands: Sequence[Any], cm: Sequence[float], tm: Sequence[float]) -> None:
        """Take note of an operation before it is carried out."""
        try:
            self._follow(operator, operands, cm)
            if operator in _SHOWING and self.is_unseen(cm, tm):
                self.found = True
        except (TypeError, ValueError, IndexError, KeyError, AttributeError):
            # An operation with wrong operands; readers pass over it.
            return

    def after(self, operator: bytes, _operands: Sequence[Any], _cm: Sequence[float], _tm: Sequence[float]) -> None:
        """Take note that a form was drawn: its state ends with it."""
        if operator == b"Do" and self._forms:
            self._state, depth = self._forms.pop()
            del self._kept[depth:]

    def is_unseen(self, cm: Sequence[float], tm: Sequence[float]) -> bool:
        """Say whether people do not see a string that is shown now."""
        state = self._state
        size = abs(state.size) * math.hypot(tm[0] * cm[0] + tm[1] * cm[2], tm[0] * cm[1] + tm[1] * cm[3])
        if 0 < size < SMALLEST and not self._is_drawn(state.font):
            return True
        x = tm[4] * cm[0] + tm[5] * cm[2] + cm[4] + size / 4
        y = tm[4] * cm[1] + tm[5] * cm[3] + cm[5] + size / 4
        # A form has a place of its own on the page, which the reader does not tell.
        if any(self._forms or picture.holds(x, y) for picture in (*self.pictures, *self.painted.pictures)):
            return False
        if state.mode == _INVISIBLE:
            return True
        behind = None if self._forms and not self.painted.is_white else self.painted.behind(x, y, size)
        return state.colour is not None and are_alike(state.colour, behind)

    def _follow(self, operator: bytes, operands: Sequence[Any], cm: Sequence[float]) -> None:
        match operator:
            case b"q":
                self._kept.append(self._state)
            case b"Q" if self._kept:
                self._state = self._kept.pop()
            case b"Tr":
                self._state = replace(self._state, mode=int(operands[0]))
            case b"Tf":
                self._state = replace(self._state, font=str(operands[0]), size=float(operands[1]))
            case b"g" | b"rg" | b"k":
                self._fill(SPACES[len(operands)], operands)
            case b"cs":
                # Until its name is known to be one of the page's, so is none of its colours.
                self._state = replace(self._state, space="", colour=None)
                self._state = replace(self._state, space=space_of(str(operands[0]), self.resources), colour=BLACK)
            case b"sc" | b"scn":
                self._fill(self._state.space, operands)
            case b"INLINE IMAGE":
                self.painted.picture(cm)
            case b"Do":
                self._forms.append((self._state, len(self._kept)))
                if self._resource("/XObject", str(operands[0])).get("/Subtype") == "/Image":
                    self.painted.picture(cm)
            case _:
                self.painted.follow(operator, operands, cm, self._state.colour)

    def _fill(self, space: str, operands: Sequence[Any]) -> None:
        self._state = replace(self._state, space=space, colour=colour_of(space, operands))

    def _is_drawn(self, font: str) -> bool:
        """Say whether the letters of a font are pictures, whose size says nothing."""
        return self._resource("/Font", font).get("/Subtype") == "/Type3"

    def _resource(self, kind: str, name: str) -> Mapping[str, Any]:
        among = self.resources[kind].get_object() if kind in self.resources else {}
        found: Mapping[str, Any] = among[name].get_object() if name in among else {}
        return found


def unseen_text(page: Any, met: Unseen) -> str:
    """Return the text of a page that people do not see, `met` being what its first reading met."""
    if not met.found:
        return ""
    again = Unseen(met.resources, met.painted.pictures)

    def before(operator: bytes, operands: list[Any], cm: Sequence[float], tm: Sequence[float]) -> None:
        again.found = False
        again.before(operator, operands, cm, tm)
        if operator in _SHOWING and not again.found:
            operands.clear()

    text = str(page.extract_text(visitor_operand_before=before, visitor_operand_after=again.after))
    return text.strip() if sum(map(str.isalnum, text)) >= LEAST_LETTERS else ""


def _around(points: Sequence[tuple[float, float]], colour: Colour | None) -> Area:
    across, up = [x for x, _ in points], [y for _, y in points]
    return Area(min(across), min(up), max(across), max(up), colour)


def space_of(name: str, resources: Mapping[str, Any]) -> str:
    """Return a colour space by the device's that has the same parts; empty for others, such as spot colours.

    Raises KeyError for one that the page does not have.
    """
    if name in SPACES.values():
        return name
    space = resources["/ColorSpace"].get_object()[name].get_object()
    kind = str(space[0] if isinstance(space, list) else space)
    if kind == "/ICCBased":
        return SPACES[int(space[1].get_object()["/N"])]
    return {"/CalGray": "/DeviceGray", "/CalRGB": "/DeviceRGB"}.get(kind, kind if kind in SPACES.values() else "")


def colour_of(space: str, operands: Sequence[Any]) -> Colour | None:
    """Return the colour that the operands name in the space; None for one that is not known, such as a pattern."""
    parts = [float(one) for one in operands if isinstance(one, int | float)]
    match space, parts:
        case "/DeviceGray", [gray]:
            return gray, gray, gray
        case "/DeviceRGB", [red, green, blue]:
            return red, green, blue
        case "/DeviceCMYK", [cyan, magenta, yellow, black]:
            return (1 - cyan) * (1 - black), (1 - magenta) * (1 - black), (1 - yellow) * (1 - black)
    return None


def are_alike(one: Colour, other: Colour | None) -> bool:
    """Say whether nobody can tell the two colours apart; false for one that is not known."""
    return other is not None and all(abs(a - b) <= _ALIKE for a, b in zip(one, other, strict=True))
