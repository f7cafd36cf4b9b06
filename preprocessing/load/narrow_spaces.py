"""Words set closer than half a space apart, which the PDF reader would run together."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

RUN_TOGETHER = re.compile(r"[A-Za-z][A-Za-z0-9,;:'’-]{38,}[A-Za-z0-9]")
_NARROW = 120
"""Width to claim for the space, in thousandths of the font size; the reader breaks words at half of it."""
_SPACE, _LAST = 32, 255


@contextmanager
def narrow_spaces(page: Any) -> Iterator[None]:
    """Let the page's simple fonts claim a narrow space, so that smaller gaps part words; undone on leaving."""
    from pypdf.generic import DictionaryObject, NameObject

    resources = page.get("/Resources", DictionaryObject()).get_object()
    fonts = resources.get("/Font", DictionaryObject()).get_object()
    originals = dict(fonts)
    for name in originals:
        font = fonts[name].get_object()
        if font.get("/Subtype") in ("/Type1", "/MMType1", "/TrueType"):
            fonts[NameObject(name)] = _narrowed(font)
    try:
        yield
    finally:
        fonts.update(originals)


def _narrowed(font: Any) -> Any:
    from pypdf.generic import ArrayObject, DictionaryObject, NameObject, NumberObject

    try:
        from pypdf.generic._font import Font
    except ImportError:  # its place differs between releases; words stay together, which the loader warns of
        return font
    known = Font.from_font_resource(font).character_widths
    widths = [known.get(chr(code), known["default"]) for code in range(_SPACE, _LAST + 1)]
    narrowed = DictionaryObject(font)
    narrowed[NameObject("/FirstChar")] = NumberObject(_SPACE)
    narrowed[NameObject("/Widths")] = ArrayObject([NumberObject(width) for width in [_NARROW, *widths[1:]]])
    return narrowed
