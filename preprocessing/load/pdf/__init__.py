"""PDF: text of each page, running text without headers and footers, headings by outline or numbering."""

from collections.abc import Mapping, Sequence

from preprocessing.document import Parsed
from preprocessing.errors import LoadError
from preprocessing.load.encoding import is_garbled
from preprocessing.load.hidden_text import excerpt
from preprocessing.load.pdf import ocr
from preprocessing.load.pdf.blocks import blocks_of, with_headings
from preprocessing.load.pdf.pages import RUN_TOGETHER, read_pages
from preprocessing.load.pdf.running_text import Line, body_lines, with_tables_continued

_HEADER_WITHIN = 1024


def read_pdf(data: bytes, password: str | None = None) -> Parsed:
    """Read a PDF; raise LoadError when it has no text that can be trusted."""
    if b"%PDF-" not in data[:_HEADER_WITHIN]:
        raise LoadError("not a PDF (no %PDF- header)")
    read = read_pages(data, password)
    pages = list(read.lines)
    texts = [_text(page) for page in pages]
    blank = [number for number, text in enumerate(texts, start=1) if not text.strip()]
    garbled = [number for number, text in enumerate(texts, start=1) if is_garbled(text)]
    warnings: list[str] = []
    if (blank or garbled) and ocr.is_available():
        recognised = ocr.read_scanned(data, password, [*blank, *garbled])
        for number, found in recognised.items():
            pages[number - 1] = [Line(text, number) for text in found]
        warnings += _ocr_warnings([*blank, *garbled], recognised, pages)
        # What is garbled and could not be recognised either is left out.
        for number in set(garbled) - recognised.keys():
            pages[number - 1] = []
        blank = sorted(number for number in [*blank, *garbled] if not _text(pages[number - 1]))
    if len(blank) == len(pages):
        unreadable = " that can be read (fonts without a character map)" if garbled else ""
        raise LoadError(f"no text{unreadable} on any of its {len(pages)} pages; {_scanned()}")
    if garbled and not ocr.is_available():
        where = f"{_of(garbled, pages)} ({_listed(garbled)})"
        raise LoadError(f"text on {where} is garbled (fonts without a character map){_ocr_hint()}")
    lines = with_headings(with_tables_continued(body_lines(pages, read.labels)), read.outline)
    together = [number for number, text in enumerate(texts, start=1) if RUN_TOGETHER.search(text)]
    if blank:
        warnings.append(f"{_of(blank, pages)} without text: {_listed(blank)}{_ocr_hint()}")
    warnings += [f"words run together on pages: {_listed(together)}"] if together else []
    warnings += _unseen_warnings(read.unseen)
    return Parsed(
        blocks=tuple(blocks_of(lines)),
        property_title=read.title,
        updated_at=read.updated_at,
        warnings=tuple(warnings),
    )


def _text(page: Sequence[Line]) -> str:
    rows = (row for line in page for row in (line.table or [[line.text]]))
    return "\n".join(" ".join(row) for row in rows)


def _ocr_warnings(wanted: Sequence[int], recognised: Mapping[int, Sequence[str]], pages: Sequence[object]) -> list[str]:
    """Say which pages OCR gave text for, and which it came too late to."""
    read = [number for number in wanted if recognised.get(number)]
    unread = [number for number in wanted if number not in recognised]
    told = [f"{_of(read, pages)} read by OCR: {_listed(read)}"] if read else []
    late = f"OCR was stopped after {ocr.MAX_SECONDS} seconds, before pages {_listed(unread)}; split the file"
    return [*told, late] if unread else told


def _unseen_warnings(unseen: Sequence[str]) -> list[str]:
    """Say what stands on the pages in letters that people do not see; it is read like any other text."""
    numbers = [number for number, text in enumerate(unseen, start=1) if text]
    if not numbers:
        return []
    shown = excerpt(unseen[numbers[0] - 1])
    return [f"hidden text (invisible, tiny, or in the colour behind it) on pages: {_listed(numbers)}: “{shown}”"]


def _scanned() -> str:
    return "OCR finds none either" if ocr.is_available() else f"it looks scanned{_ocr_hint()}"


def _ocr_hint() -> str:
    """Return how to get the text of pages that have none; nothing when OCR has already looked at them."""
    return "" if ocr.is_available() else f"; to read scanned pages: {ocr.INSTALL}"


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, sorted(numbers)))


def _of(numbers: Sequence[int], pages: Sequence[object]) -> str:
    return f"{len(numbers)} of {len(pages)} pages"
