"""Footnotes and endnotes of Word."""

import re
from collections.abc import Iterator
from typing import Any

from preprocessing.document import Block
from preprocessing.load.docx_text import W, text_of

_NOTE = re.compile(r"\[\^(e?\d+)\]")


def root_of(relation: Any | None) -> Any | None:
    """Return the root element of the part that a relationship leads to, None without one."""
    if relation is None or relation.is_external:
        return None
    from lxml import etree

    return etree.fromstring(relation.target_part.blob, etree.XMLParser(resolve_entities=False, no_network=True))


def notes_of(relation: Any | None, prefix: str) -> dict[str, str]:
    """Return the texts of notes by their mark, which begins with the prefix."""
    root = root_of(relation)
    if root is None:
        return {}
    notes = [note for note in root if note.get(f"{W}type") in (None, "normal")]
    return {f"{prefix}{note.get(f'{W}id')}": " ".join(text_of(note).split()) for note in notes}


def with_notes(blocks: Iterator[Block], notes: dict[str, str]) -> Iterator[Block]:
    """Yield each note below the block that refers to it."""
    for block in blocks:
        yield block
        for mark in _NOTE.findall(block.text):
            if notes.get(mark):
                yield Block("paragraph", f"[^{mark}]: {notes[mark]}")
