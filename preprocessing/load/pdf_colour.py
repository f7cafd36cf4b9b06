"""The colours of a PDF page, as red, green and blue from 0 to 1."""

from collections.abc import Mapping, Sequence
from typing import Any

Colour = tuple[float, float, float]
BLACK: Colour = (0.0, 0.0, 0.0)
WHITE: Colour = (1.0, 1.0, 1.0)
SPACES = {1: "/DeviceGray", 3: "/DeviceRGB", 4: "/DeviceCMYK"}
"""Colour spaces by the number of their parts."""
_ALIKE = 0.03
"""Difference in each part that nobody sees."""


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
