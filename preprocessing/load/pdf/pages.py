"""Read the text of a PDF's pages; runs as a process of its own, since a crafted file may loop or eat memory.

Input: one JSON line with `password` and `step_seconds`, then the file. Output: what `read_pages` returns, as JSON.
"""

import io
import json
import logging
import math
import os
import re
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

from pypdf import PasswordType, PdfReader
from pypdf.errors import DependencyError, PyPdfError
from pypdf.generic import ArrayObject, DictionaryObject, NameObject, NumberObject

try:
    from pypdf.generic._font import Font
except ImportError:  # its place differs between releases; words stay together, which the loader warns of
    Font = None  # type: ignore[assignment, misc]

from preprocessing.load.pdf.fields import fields_of, with_fields
from preprocessing.load.pdf.order import Line, Span, in_reading_order
from preprocessing.load.pdf.running_text import RUN_TOGETHER
from preprocessing.load.pdf.tables import Rules, Table, tables_of
from preprocessing.load.pdf.unseen import Unseen, unseen_text
from preprocessing.process import MEMORY_BYTES, TIMED_OUT, limit_memory

MAX_PAGES = 5000
PASSWORD_REQUIRED = "password required; save the file without one to ingest it (folio extract reads it with --password)"
_BOLD = re.compile(r"bold|black|heavy|semibold|simhei|heiti|黑体", re.IGNORECASE)
_UPRIGHT = 1.0
_NARROW = 120
"""Width to claim for the space, in thousandths of the font size; the reader breaks words at half of it."""
_SPACE, _LAST = 32, 255


def read_pages(data: bytes, password: str | None, step: Any = lambda: None) -> dict[str, Any]:
    """Return `pages` of `PageLine`, `unseen` (text that people do not see, by page), `outline` (level, title, page),
    `labels`, `title`, `updated_at`; or `error`.

    Calls `step` before each page.
    """
    step()
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and reader.decrypt(password or "") == PasswordType.NOT_DECRYPTED:
            return {"error": "the password is wrong" if password else PASSWORD_REQUIRED}
        count = len(reader.pages)
        if count > MAX_PAGES:
            return {"error": f"has {count} pages, the limit is {MAX_PAGES}; split it"}
        pages, unseen = [], []
        for page in reader.pages:
            step()
            met = _met_on(page)
            pages.append(_page_lines(page, met))
            unseen.append(unseen_text(page, met))
        step()
        properties = reader.metadata
        modified = properties.modification_date or properties.creation_date if properties else None
        return {
            "pages": pages,
            "unseen": unseen,
            "outline": _outline(reader),
            "labels": _labels(reader),
            "title": properties.title if properties else None,
            "updated_at": modified.isoformat() if modified else None,
        }
    except DependencyError as error:
        return {"error": f"encrypted in a way that needs another package: {error}"}
    except (PyPdfError, ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError, OSError) as error:
        # The reader meets damaged files with many kinds of errors.
        return {"error": f"broken PDF ({' '.join(str(error).split())[:100] or type(error).__name__})"}


def _met_on(page: Any) -> Unseen:
    return Unseen(page["/Resources"].get_object() if "/Resources" in page else {})


def _page_lines(page: Any, met: Unseen) -> list[dict[str, Any]]:
    lines = page_lines(page, met)
    if any(RUN_TOGETHER.search(line["text"]) for line in lines):
        with narrow_spaces(page):
            lines = page_lines(page, _met_on(page))
    return lines


def _labels(reader: Any) -> list[str]:
    try:
        return [str(label) for label in reader.page_labels] if "/PageLabels" in reader.root_object else []
    except (PyPdfError, ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        return []  # damaged labels leave the text readable


def _outline(reader: Any) -> list[tuple[int, str, int]]:
    found: list[tuple[int, str, int]] = []

    def walk(entries: Any, level: int) -> None:
        for entry in entries:
            if isinstance(entry, list):
                walk(entry, level + 1)
            else:
                page = reader.get_destination_page_number(entry)
                if page is not None:
                    found.append((level, str(entry.title), page + 1))

    try:
        walk(reader.outline, 1)
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return []  # a damaged outline leaves the text readable
    return found


def main() -> None:
    """Answer one request on standard input, within the limits of time and memory."""
    logging.disable(logging.CRITICAL)
    limit_memory()
    request = json.loads(sys.stdin.buffer.readline())
    data = sys.stdin.buffer.read()
    timer: threading.Timer | None = None

    def step() -> None:
        nonlocal timer
        if timer:
            timer.cancel()
        timer = threading.Timer(request["step_seconds"], os._exit, [TIMED_OUT])
        timer.daemon = True
        timer.start()

    try:
        answer = read_pages(data, request["password"], step)
    except MemoryError:
        answer = {"error": f"needs more than {MEMORY_BYTES >> 30} GB of memory to read"}
    sys.stdout.buffer.write(json.dumps(answer).encode("ascii"))


@dataclass(frozen=True, slots=True)
class PageLine:
    """A line of a page, or a ruled table in place of its lines."""

    text: str
    size: float = 0.0
    is_bold: bool = False
    is_slanted: bool = False
    table: list[list[str]] = field(default_factory=list)
    columns: list[float] = field(default_factory=list)
    """Where the columns of the table begin and end."""


class _Recorder:
    """Receives what the PDF reader meets on a page."""

    def __init__(self, unseen: Unseen) -> None:
        self.lines: list[Line] = [[]]
        self.rules = Rules()
        self._unseen = unseen

    def operand(self, operator: bytes, operands: Sequence[Any], cm: Sequence[float], tm: Sequence[float]) -> None:
        self.rules.operand(operator, operands, cm, tm)
        self._unseen.before(operator, operands, cm, tm)

    def text(self, text: str, cm: Sequence[float], tm: Sequence[float], font: Any, size: float) -> None:
        x, y = tm[4] * cm[0] + tm[5] * cm[2] + cm[4], tm[4] * cm[1] + tm[5] * cm[3] + cm[5]
        right, up = tm[0] * cm[0] + tm[1] * cm[2], tm[0] * cm[1] + tm[1] * cm[3]
        scale, angle = math.hypot(right, up), math.degrees(math.atan2(up, right))
        is_bold = font is not None and _BOLD.search(str(font.get("/BaseFont", ""))) is not None
        is_placed = True
        for number, part in enumerate(text.split("\n")):
            if number:
                self.lines.append([])
            if part:
                self.lines[-1].append(Span(part, x, y, abs(size) * scale, is_bold, angle, is_placed))
                is_placed = is_placed and not part.strip()


def page_lines(page: Any, unseen: Unseen) -> list[dict[str, Any]]:
    """Return the lines of a page in reading order, as JSON values of `PageLine`; `unseen` takes note of what is met."""
    recorder = _Recorder(unseen)
    page.extract_text(
        visitor_text=recorder.text,
        visitor_operand_before=recorder.operand,
        visitor_operand_after=unseen.after,
    )
    lines = in_reading_order(with_fields(recorder.lines, fields_of(page)))
    return [
        asdict(line)
        for line in _with_tables(lines, tables_of(recorder.rules, [span for line in lines for span in line]))
    ]


def _with_tables(lines: Sequence[list[Span]], tables: Sequence[Table]) -> Iterator[PageLine]:
    """Yield the lines; the first line with text inside a table gives way to the table, the others to nothing."""
    shown: set[int] = set()
    for line in lines:
        inside = {number for number, table in enumerate(tables) for span in line if span in table.spans}
        for number in sorted(inside - shown):
            yield PageLine("", table=tables[number].rows, columns=tables[number].columns)
        shown |= inside
        rest = [span for span in line if not any(span in tables[number].spans for number in inside)]
        if not inside or any(span.text.strip() for span in rest):
            yield _line(rest)


def _line(spans: Sequence[Span]) -> PageLine:
    filled = [span for span in spans if span.text.strip()]
    if not filled:
        return PageLine("".join(span.text for span in spans))
    longest = max(filled, key=lambda span: len(span.text))
    return PageLine(
        "".join(span.text for span in spans),
        round(longest.size, 1),
        all(span.is_bold for span in filled),
        all(abs(span.angle % 90) > _UPRIGHT and abs(span.angle % 90 - 90) > _UPRIGHT for span in filled),
    )


@contextmanager
def narrow_spaces(page: Any) -> Iterator[None]:
    """Let the page's simple fonts claim a narrow space, so that smaller gaps part words; undone on leaving."""
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
    if Font is None:
        return font
    known = Font.from_font_resource(font).character_widths
    widths = [known.get(chr(code), known["default"]) for code in range(_SPACE, _LAST + 1)]
    narrowed = DictionaryObject(font)
    narrowed[NameObject("/FirstChar")] = NumberObject(_SPACE)
    narrowed[NameObject("/Widths")] = ArrayObject([NumberObject(width) for width in [_NARROW, *widths[1:]]])
    return narrowed
