"""Small files of each format, and the blocks that one is read as."""

import io
from typing import Any

import docx
from fpdf import FPDF

from preprocessing.document import Document


def saved(made: Any) -> bytes:
    """Return the bytes of a document, workbook, presentation or PDF writer."""
    out = io.BytesIO()
    (made.write if hasattr(made, "write") else made.save)(out)
    return out.getvalue()


def word(text: str = "年假五天。") -> bytes:
    document = docx.Document()
    document.add_paragraph(text)
    return saved(document)


def pdf(*pages: str) -> bytes:
    """Return a PDF whose pages have these lines."""
    made = FPDF()
    made.set_font("Helvetica", size=12)
    for page in pages:
        made.add_page()
        for line in page.split("\n"):
            made.cell(0, 8, line, new_x="LMARGIN", new_y="NEXT")
    return bytes(made.output())


def blocks(document: Document) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in document.blocks]
