"""Read the text of a PDF's pages; runs as a process of its own, since a crafted file may loop or eat memory.

Input: one JSON line with `password` and `step_seconds`, then the file. Output: what `read_pages` returns, as JSON.
"""

import io
import json
import logging
import os
import sys
import threading
from typing import Any

from preprocessing.child import MEMORY_BYTES, limit_memory
from preprocessing.load.narrow_spaces import RUN_TOGETHER, narrow_spaces
from preprocessing.load.pdf_layout import page_lines
from preprocessing.load.pdf_unseen import Unseen, unseen_text

STEP_SECONDS = 20.0
"""Time to open the file, and time for each page."""
MAX_PAGES = 5000
TIMED_OUT = 75
PASSWORD_REQUIRED = "password required; save the file without one to ingest it (folio extract reads it with --password)"


def read_pages(data: bytes, password: str | None, step: Any = lambda: None) -> dict[str, Any]:
    """Return `pages` of `PageLine`, `unseen` (text that people do not see, by page), `outline` (level, title, page),
    `labels`, `title`, `updated_at`; or `error`.

    Calls `step` before each page.
    """
    step()
    from pypdf import PasswordType, PdfReader
    from pypdf.errors import DependencyError, PyPdfError

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
    from pypdf.errors import PyPdfError

    try:
        return [str(label) for label in reader.page_labels] if "/PageLabels" in reader.root_object else []
    except (PyPdfError, ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        return []  # damaged labels leave the text readable


def _outline(reader: Any) -> list[tuple[int, str, int]]:
    from pypdf.errors import PyPdfError

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
