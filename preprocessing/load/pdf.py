"""PDF: text of each page, running text without headers and footers, headings by outline or numbering."""

import json
import os
import re
import subprocess
import sys
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from preprocessing.errors import LoadError
from preprocessing.load import ocr, pdf_pages
from preprocessing.load.narrow_spaces import RUN_TOGETHER
from preprocessing.load.parsed import Parsed
from preprocessing.page_headings import with_headings
from preprocessing.page_lines import Line
from preprocessing.page_tables import with_tables_continued
from preprocessing.pages import body_lines
from preprocessing.paragraphs import blocks_of

MAX_SECONDS = 900
_HEADER_WITHIN = 1024
_GLYPH_NAME = re.compile(r"/[A-Za-z]{1,5}\d?[0-9A-Fa-f]{1,4}(?=/|\s|$)|\(cid:\d+\)")
_MOST_BAD = 0.1
_MOST_SCRIPTS = 4


def read_pdf(data: bytes, password: str | None = None) -> Parsed:
    """Read a PDF; raise LoadError when it has no text that can be trusted."""
    if b"%PDF-" not in data[:_HEADER_WITHIN]:
        raise LoadError("not a PDF (no %PDF- header)")
    answer = _ask_reader(data, password)
    pages = [[_line(line, number) for line in page] for number, page in enumerate(answer["pages"], start=1)]
    texts = [_text(page) for page in pages]
    blank = [number for number, text in enumerate(texts, start=1) if not text.strip()]
    garbled = [number for number, text in enumerate(texts, start=1) if is_garbled(text)]
    warnings: list[str] = []
    if (blank or garbled) and ocr.is_available():
        for number, found in ocr.read_scanned(data, password, [*blank, *garbled]).items():
            pages[number - 1] = [Line(text, number) for text in found]
        warnings.append(f"{_of([*blank, *garbled], pages)} read by OCR: {_listed([*blank, *garbled])}")
        blank, garbled = [number for number in [*blank, *garbled] if not _text(pages[number - 1])], []
    if len(blank) == len(pages):
        raise LoadError(f"no text on any of its {len(pages)} pages; {_scanned()}")
    if garbled:
        where = f"{_of(garbled, pages)} ({_listed(garbled)})"
        raise LoadError(f"text on {where} is garbled (fonts without a character map){_ocr_hint()}")
    lines = with_headings(with_tables_continued(body_lines(pages, answer["labels"])), answer["outline"])
    together = [number for number, text in enumerate(texts, start=1) if RUN_TOGETHER.search(text)]
    if blank:
        warnings.append(f"{_of(blank, pages)} without text: {_listed(blank)}{_ocr_hint()}")
    warnings += [f"words run together on pages: {_listed(together)}"] if together else []
    return Parsed(
        blocks=tuple(blocks_of(lines)),
        property_title=answer["title"],
        updated_at=answer["updated_at"],
        warnings=tuple(warnings),
    )


def _line(line: Mapping[str, Any], page: int) -> Line:
    return Line(
        line["text"],
        page,
        size=line["size"],
        is_bold=line["is_bold"],
        is_slanted=line["is_slanted"],
        table=tuple(tuple(row) for row in line["table"]),
        columns=tuple(line["columns"]),
    )


def _text(page: Sequence[Line]) -> str:
    rows = (row for line in page for row in (line.table or [[line.text]]))
    return "\n".join(" ".join(row) for row in rows)


def _scanned() -> str:
    return "OCR finds none either" if ocr.is_available() else f"it looks scanned{_ocr_hint()}"


def _ocr_hint() -> str:
    """Return how to get the text of pages that have none; nothing when OCR has already looked at them."""
    return "" if ocr.is_available() else f"; to read scanned pages: {ocr.INSTALL}"


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, sorted(numbers)))


def _of(numbers: Sequence[int], pages: Sequence[object]) -> str:
    return f"{len(numbers)} of {len(pages)} pages"


def _ask_reader(data: bytes, password: str | None) -> Mapping[str, Any]:
    request = {"password": password, "step_seconds": pdf_pages.STEP_SECONDS}
    root = str(Path(__file__).resolve().parents[2])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))}
    try:
        done = subprocess.run(
            [sys.executable, "-c", f"from {pdf_pages.__name__} import main; main()"],
            input=json.dumps(request).encode("ascii") + b"\n" + data,
            capture_output=True,
            timeout=MAX_SECONDS,
            env=environment,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise LoadError(f"reading took more than {MAX_SECONDS} seconds; split the file") from error
    if done.returncode == pdf_pages.TIMED_OUT:
        raise LoadError(f"a page took more than {pdf_pages.STEP_SECONDS:.0f} seconds; print the file to a new PDF")
    if done.returncode:
        last = done.stderr.decode("utf-8", "replace").strip().rsplit("\n", 1)[-1]
        raise LoadError(f"the PDF reader stopped ({last or f'exit {done.returncode}'}); print the file to a new PDF")
    answer: Mapping[str, Any] = json.loads(done.stdout)
    if "error" in answer:
        raise LoadError(str(answer["error"]))
    return answer


def is_garbled(text: str) -> bool:
    """Say whether the text is glyph names, characters of nobody's script, or a soup of many scripts."""
    characters = [char for char in text if not char.isspace()]
    if len(characters) < 10:
        return False
    names = sum(len(found[0]) for found in _GLYPH_NAME.finditer(text))
    bad = sum(1 for char in characters if char == "\ufffd" or unicodedata.category(char) in ("Co", "Cn", "Cc"))
    if (names if names > 30 else 0) + bad > _MOST_BAD * len(characters):
        return True
    letters = [char for char in characters if char.isalpha() and ord(char) > 0x7F]
    scripts = Counter(unicodedata.name(char, "UNKNOWN").split()[0].split("-")[0] for char in letters)
    return sum(1 for count in scripts.values() if count > 0.005 * len(characters)) > _MOST_SCRIPTS
