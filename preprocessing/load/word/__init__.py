"""Word: headings, paragraphs, lists and tables in the order of the body, with the numbers that Word counts."""

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import docx
from lxml import etree

from preprocessing.document import Block, Parsed
from preprocessing.errors import LoadError
from preprocessing.load.content import check_package, modified_at
from preprocessing.load.hidden_text import excerpt
from preprocessing.load.metadata import first_heading
from preprocessing.load.word.headings import CANDIDATE, candidate, decided
from preprocessing.load.word.numbering import Numbering
from preprocessing.load.word.text import (
    W,
    body_elements,
    hidden_texts,
    is_joined_to_next,
    property_value,
    read_table,
    text_boxes,
    text_of,
)

_HEADING_STYLE = re.compile(r"(?:heading|标题)\s*([1-9])", re.IGNORECASE)
_CONTENTS_STYLE = re.compile(r"(?:toc|目录)\s*\d", re.IGNORECASE)
_CLAUSE = re.compile(r"第.{1,8}[编章节条款篇]$|[（(]?[一二三四五六七八九十]+[）)、]")
"""Labels of the parts of a Chinese document; what they number is a paragraph or a heading, no list."""
_NOTE = re.compile(r"\[\^(e?\d+)\]")


def read_docx(data: bytes, _password: str | None = None) -> Parsed:
    """Read a Word document without its headers and footers."""
    check_package(data)
    try:
        document = docx.Document(io.BytesIO(data))
    except Exception as error:
        raise LoadError(f"not a readable Word document: {' '.join(str(error).split())[:100]}") from error
    parts = {str(relation.reltype).rsplit("/", 1)[-1]: relation for relation in document.part.rels.values()}
    body = _Body(document.styles, Numbering(root_of(parts.get("numbering"))))
    notes = {**notes_of(parts.get("footnotes"), ""), **notes_of(parts.get("endnotes"), "e")}
    hidden = "".join(hidden_texts(document.element.body))
    blocks = tuple(with_notes(_lists_joined(body.blocks(document.element.body)), notes))
    marked_title = first_heading(blocks)
    is_first_bold = bool(blocks) and blocks[0].level >= CANDIDATE
    blocks = decided(blocks)
    if is_first_bold and blocks[0].level == 1:
        marked_title = blocks[0].text
    return Parsed(
        blocks=blocks,
        heading_title=marked_title,
        property_title=document.core_properties.title,
        updated_at=modified_at(document.core_properties, document.part.package.rels.values()),
        warnings=(f"hidden text left out: “{excerpt(hidden)}”",) if hidden.strip() else (),
    )


@dataclass(frozen=True, slots=True)
class _Body:
    """What is known of a document while its paragraphs are read."""

    styles: Any
    numbering: Numbering

    def blocks(self, parent: Any) -> Iterator[Block]:
        """Yield the blocks in order; each item of a list is a block of its own."""
        begun = ""
        for element in body_elements(parent):
            if element.tag == f"{W}tbl":
                yield from filter(None, [read_table(element)])
                continue
            text = begun + text_of(element).strip()
            if is_joined_to_next(element):
                begun = text
                continue
            begun = ""
            yield from filter(None, [self._paragraph(element, text)])
            for box in text_boxes(element):
                yield from self.blocks(box)

    def _paragraph(self, element: Any, text: str) -> Block | None:
        style = self.styles.get_by_id(property_value(element, "pStyle"), 1)  # 1: paragraph style
        if not text or (style is not None and _CONTENTS_STYLE.match(style.name or "")):
            return None
        level = _heading_level(element, style)
        number = _number(element, style)
        label = self.numbering.label(*number) if number else None
        labelled = (
            f"{label}{'' if label[-1] in '、）)' and label[0] not in '0123456789' else ' '}{text}" if label else text
        )
        if level:
            return Block("heading", " ".join(labelled.split()), level)
        if number is None or label is None or (label and _CLAUSE.match(label)):
            return candidate(element, style, labelled) or Block("paragraph", labelled)
        return Block("list", f"{'  ' * number[1]}{label or '-'} {' '.join(text.split())}")


def _heading_level(element: Any, style: Any) -> int:
    outline = property_value(element, "outlineLvl")
    while outline is None and style is not None:
        if style.name == "Title":
            return 1
        named = _HEADING_STYLE.match(style.name or "")
        if named:
            return min(int(named[1]), 6)
        outline = property_value(style.element, "outlineLvl")
        style = style.base_style
    return min(int(outline) + 1, 6) if outline is not None and int(outline) < 9 else 0  # 9: body text


def _number(element: Any, style: Any) -> tuple[str, int] | None:
    """Return the list that the paragraph, or the style it has, belongs to, and its depth from 0."""
    depth = None
    while element is not None:
        numbering = element.find(f"{W}pPr/{W}numPr")
        if numbering is not None:
            number, level = numbering.find(f"{W}numId"), numbering.find(f"{W}ilvl")
            depth = int(level.get(f"{W}val")) if level is not None and depth is None else depth
            if number is not None:
                # 0 takes the numbering of the style away.
                return None if number.get(f"{W}val") == "0" else (number.get(f"{W}val"), depth or 0)
        element, style = (None, None) if style is None else (style.element, style.base_style)
    return None


def _lists_joined(blocks: Iterator[Block]) -> Iterator[Block]:
    items: list[str] = []
    for block in blocks:
        if block.kind == "list":
            items.append(block.text)
            continue
        if items:
            yield Block("list", "\n".join(items))
            items = []
        yield block
    if items:
        yield Block("list", "\n".join(items))


def root_of(relation: Any | None) -> Any | None:
    """Return the root element of the part that a relationship leads to, None without one."""
    if relation is None or relation.is_external:
        return None
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
