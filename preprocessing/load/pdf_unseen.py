"""Find the text of a PDF page that people do not see: in the colour behind it, too small, or drawn invisibly."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from preprocessing.load.pdf_colour import BLACK, SPACES, Colour, are_alike, colour_of, space_of
from preprocessing.load.pdf_painted import Area, Painted

SMALLEST = 1.0
"""Points; nobody reads smaller letters."""
LEAST_LETTERS = 3
_INVISIBLE = 3
"""Text rendering mode of the layer that OCR lays over a scan, and of text that is hidden."""
_SHOWING = frozenset((b"Tj", b"TJ", b"'", b'"'))


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
