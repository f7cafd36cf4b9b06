"""Text of scanned pages, read by a model that comes with the extra `folio[ocr]`; nothing is fetched or sent."""

import importlib.util
import time
from collections.abc import Mapping, Sequence
from typing import Any

from preprocessing.errors import LoadError
from preprocessing.process import disable_telemetry

INSTALL = "pip install 'folio[ocr]'"
_DOTS_PER_POINT = 150 / 72
_MOST_PIXELS = 4000
_LEAST_SCORE = 0.5
_SAME_ROW = 0.5
MAX_SECONDS = 1800
"""Time for the pages of a file; no page is begun after it."""


def is_available() -> bool:
    """Say whether the extra is installed, without loading it."""
    return all(importlib.util.find_spec(name) for name in ("rapidocr", "onnxruntime", "pypdfium2"))


def read_scanned(data: bytes, password: str | None, pages: Sequence[int]) -> Mapping[int, list[str]]:
    """Return the lines of the given pages (counted from 1) of a PDF, top down; none for a page without text.

    Pages that the time does not suffice for are left out. Raises LoadError when the pages cannot be drawn.
    """
    disable_telemetry()
    import pypdfium2  # together they take seconds to load, and few files need them
    from rapidocr import RapidOCR

    engine = RapidOCR(params={"Global.log_level": "error"})
    try:
        document = pypdfium2.PdfDocument(data, password=password)
    except pypdfium2.PdfiumError as error:
        raise LoadError(f"pages cannot be drawn for OCR ({error}); print the file to a new PDF") from error
    read: dict[int, list[str]] = {}
    ends = time.monotonic() + MAX_SECONDS
    for number in pages:
        if time.monotonic() > ends:
            break
        page = document[number - 1]
        scale = min(_DOTS_PER_POINT, _MOST_PIXELS / max(page.get_size()))
        # Its class depends on what the engine was asked for; all of them here have boxes, texts and scores.
        result: Any = engine(page.render(scale=scale).to_numpy())
        found = [] if result.boxes is None else list(zip(result.boxes, result.txts, result.scores, strict=True))
        read[number] = lines_of([(box, text) for box, text, score in found if score >= _LEAST_SCORE])
    return read


def lines_of(found: Sequence[tuple[Any, str]]) -> list[str]:
    """Return texts on one height as one line, left to right; a box is four corners, clockwise from the upper left."""
    rows: list[list[tuple[Any, str]]] = []
    for box, text in sorted(found, key=lambda item: float(item[0][0][1] + item[0][2][1])):
        height = float(box[2][1] - box[0][1])
        middle = float(box[0][1] + box[2][1]) / 2
        above = rows[-1][0][0] if rows else None
        if above is not None and abs(middle - float(above[0][1] + above[2][1]) / 2) <= _SAME_ROW * height:
            rows[-1].append((box, text))
        else:
            rows.append([(box, text)])
    return [" ".join(text for _, text in sorted(row, key=lambda item: float(item[0][0][0]))) for row in rows]
