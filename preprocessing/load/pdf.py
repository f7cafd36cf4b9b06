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
from preprocessing.load import pdf_pages
from preprocessing.load.narrow_spaces import RUN_TOGETHER
from preprocessing.load.parsed import Parsed
from preprocessing.pages import body_lines, with_outline
from preprocessing.paragraphs import blocks_of

MAX_SECONDS = 900
_HEADER_WITHIN = 1024
_GLYPH_NAME = re.compile(r"/[A-Za-z]{1,5}\d?[0-9A-Fa-f]{1,4}(?=/|\s|$)|\(cid:\d+\)")
_MOST_BAD = 0.1
_MOST_SCRIPTS = 4


def read_pdf(data: bytes, password: str | None = None) -> Parsed:
    """Read a PDF that has text; raise LoadError when it has none that can be trusted."""
    if b"%PDF-" not in data[:_HEADER_WITHIN]:
        is_html = re.match(rb"\s*<(?:!doctype html|html)", data, re.IGNORECASE)
        raise LoadError("not a PDF but an HTML page; save the PDF itself" if is_html else "not a PDF (no %PDF- header)")
    answer = _ask_reader(data, password)
    pages: list[str] = answer["pages"]
    blank = [number for number, page in enumerate(pages, start=1) if not page.strip()]
    if len(blank) == len(pages):
        raise LoadError(f"no text on any of its {len(pages)} pages; it looks scanned, run OCR first")
    garbled = [number for number, page in enumerate(pages, start=1) if is_garbled(page)]
    if garbled:
        raise LoadError(f"text on {_of(garbled, pages)} is garbled (fonts without a character map); run OCR first")
    lines = with_outline(body_lines(pages), answer["outline"])
    together = [number for number, page in enumerate(pages, start=1) if RUN_TOGETHER.search(page)]
    warnings = [f"{_of(blank, pages)} without text: {', '.join(map(str, blank))}"] if blank else []
    warnings += [f"words run together on pages: {', '.join(map(str, together))}"] if together else []
    return Parsed(
        blocks=tuple(blocks_of(lines)),
        property_title=answer["title"],
        updated_at=answer["updated_at"],
        warnings=tuple(warnings),
    )


def _of(numbers: Sequence[int], pages: Sequence[str]) -> str:
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
