"""The text of a PDF's pages, as lines in reading order with what is known of their letters, and tables."""

import io
import math
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from pypdf import PasswordType, PdfReader
from pypdf.errors import DependencyError, PyPdfError
from pypdf.generic import ArrayObject, DictionaryObject, NameObject, NumberObject
from pypdf.generic._font import Font

from preprocessing.errors import LoadError
from preprocessing.load.pdf.fields import fields_of, with_fields
from preprocessing.load.pdf.order import Span, Spans, in_reading_order
from preprocessing.load.pdf.running_text import Line
from preprocessing.load.pdf.tables import Rules, Table, tables_of
from preprocessing.load.pdf.unseen import Unseen, unseen_text
from preprocessing.process import time_limit

MAX_SECONDS = 900
STEP_SECONDS = 20.0
"""Time to open the file, and time for each page, after which a process that only loads files ends."""
MAX_PAGES = 5000
PASSWORD_REQUIRED = "password required; save the file without one to ingest it (folio extract reads it with --password)"
RUN_TOGETHER = re.compile(r"[A-Za-z][A-Za-z0-9,;:'’-]{38,}[A-Za-z0-9]")
_DAMAGES = (PyPdfError, ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError)
"""The reader meets damaged files with many kinds of errors."""
_BOLD = re.compile(r"bold|black|heavy|semibold|simhei|heiti|黑体", re.IGNORECASE)
_UPRIGHT = 1.0
_NARROW = 120
"""Width to claim for the space, in thousandths of the font size; the reader breaks words at half of it."""
_SPACE, _LAST = 32, 255


class Pages(NamedTuple):
    """What a PDF holds, page by page, and what it says about itself."""

    lines: list[list[Line]]
    unseen: list[str]
    """Text of each page that people do not see."""
    outline: list[tuple[int, str, int]]
    """Level, title and page of each entry."""
    labels: list[str]
    title: str | None
    updated_at: str | None


def read_pages(data: bytes, password: str | None) -> Pages:
    """Return the text of the pages. Raises LoadError for a PDF that is locked, broken or too large."""
    ends = time.monotonic() + MAX_SECONDS
    try:
        with time_limit(STEP_SECONDS):
            reader = PdfReader(io.BytesIO(data))
            if reader.is_encrypted and reader.decrypt(password or "") == PasswordType.NOT_DECRYPTED:
                raise LoadError("the password is wrong" if password else PASSWORD_REQUIRED)
            count = len(reader.pages)
        if count > MAX_PAGES:
            raise LoadError(f"has {count} pages, the limit is {MAX_PAGES}; split it")
        lines, unseen = [], []
        for number, page in enumerate(reader.pages, start=1):
            if time.monotonic() > ends:
                raise LoadError(f"reading took more than {MAX_SECONDS} seconds; split the file")
            with time_limit(STEP_SECONDS):
                met = _met_on(page)
                lines.append(_page_lines(page, number, met))
                unseen.append(unseen_text(page, met))
        with time_limit(STEP_SECONDS):
            properties = reader.metadata
            modified = properties.modification_date or properties.creation_date if properties else None
            title = properties.title if properties else None
            updated_at = modified.isoformat() if modified else None
            return Pages(lines, unseen, _outline(reader), _labels(reader), title, updated_at)
    except DependencyError as error:
        raise LoadError(f"encrypted in a way that needs another package: {error}") from error
    except (*_DAMAGES, OSError) as error:
        raise LoadError(f"broken PDF ({' '.join(str(error).split())[:100] or type(error).__name__})") from error


def _page_lines(page: Any, number: int, met: Unseen) -> list[Line]:
    """Return the lines of a page in reading order; `met` takes note of what is met."""
    lines = _lines_once(page, number, met)
    if any(RUN_TOGETHER.search(line.text) for line in lines):
        with narrow_spaces(page):
            lines = _lines_once(page, number, _met_on(page))
    return lines


def _met_on(page: Any) -> Unseen:
    return Unseen(page["/Resources"].get_object() if "/Resources" in page else {})


def _labels(reader: Any) -> list[str]:
    try:
        return [str(label) for label in reader.page_labels] if "/PageLabels" in reader.root_object else []
    except _DAMAGES:
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
    except _DAMAGES:
        return []  # a damaged outline leaves the text readable
    return found


class _Recorder:
    """Receives what the PDF reader meets on a page."""

    def __init__(self, unseen: Unseen) -> None:
        self.lines: list[Spans] = [[]]
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


def _lines_once(page: Any, number: int, met: Unseen) -> list[Line]:
    recorder = _Recorder(met)
    page.extract_text(
        visitor_text=recorder.text,
        visitor_operand_before=recorder.operand,
        visitor_operand_after=met.after,
    )
    lines = in_reading_order(with_fields(recorder.lines, fields_of(page)))
    tables = tables_of(recorder.rules, [span for line in lines for span in line])
    return list(_with_tables(lines, tables, number))


def _with_tables(lines: Sequence[Spans], tables: Sequence[Table], page: int) -> Iterator[Line]:
    """Yield the lines; the first line with text inside a table gives way to the table, the others to nothing."""
    shown: set[int] = set()
    for line in lines:
        inside = {number for number, table in enumerate(tables) for span in line if span in table.spans}
        for table in (tables[number] for number in sorted(inside - shown)):
            yield Line("", page, table=tuple(map(tuple, table.rows)), columns=tuple(table.columns))
        shown |= inside
        rest = [span for span in line if not any(span in tables[number].spans for number in inside)]
        if not inside or any(span.text.strip() for span in rest):
            yield _line(rest, page)


def _line(spans: Sequence[Span], page: int) -> Line:
    text = "".join(span.text for span in spans)
    filled = [span for span in spans if span.text.strip()]
    if not filled:
        return Line(text, page)
    return Line(
        text,
        page,
        size=round(max(filled, key=lambda span: len(span.text)).size, 1),
        is_bold=all(span.is_bold for span in filled),
        is_slanted=all(abs(span.angle % 90) > _UPRIGHT and abs(span.angle % 90 - 90) > _UPRIGHT for span in filled),
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
    known = Font.from_font_resource(font).character_widths
    widths = [known.get(chr(code), known["default"]) for code in range(_SPACE, _LAST + 1)]
    narrowed = DictionaryObject(font)
    narrowed[NameObject("/FirstChar")] = NumberObject(_SPACE)
    narrowed[NameObject("/Widths")] = ArrayObject([NumberObject(width) for width in [_NARROW, *widths[1:]]])
    return narrowed
