"""The nouns of preprocessing: what a file is called, and what it becomes before it can be searched."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

MAX_HEADING_CHARS = 100
"""Most characters of headings that are searched with each chunk: with a piece of 400 they are what an encoder of 512
tokens reads, also where each character is a token."""

BlockKind = Literal["heading", "paragraph", "list", "table", "code"]


@dataclass(frozen=True, slots=True)
class Block:
    """One Markdown-like piece of a document, in reading order."""

    kind: BlockKind
    text: str
    """Markdown: a table keeps its pipes and rule line, a list its markers, code its fences; a heading has no `#`."""
    level: int = 0
    """Depth of a heading, 1 to 6; 0 for every other kind."""
    page: int | None = None
    """Page the block begins on, counted from 1; None where the format has no pages."""
    page_breaks: tuple[int, ...] = ()
    """Positions in the text at which the next page begins."""


@dataclass(frozen=True, slots=True)
class Document:
    """A file as clean blocks with its metadata."""

    doc_id: str
    source: str
    """Path as people know it: relative to the working folder when inside it, else absolute; always with `/`."""
    title: str
    blocks: tuple[Block, ...]
    doc_type: str
    """Format of the content, as its suffix without the dot: `md`, `txt`, `pdf`, `docx`, …"""
    content_hash: str
    """SHA-256 of the file's bytes, hexadecimal."""
    version: str | None = None
    updated_at: str | None = None
    """ISO 8601 date or time, from front matter, else from the file's own properties, else its modification time."""
    metadata: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    """Everything else from front matter or the caller: `department`, `effective_from`, `visible_to`, `supersedes`, …"""
    warnings: tuple[str, ...] = ()
    """What a person should know, such as pages without text."""


@dataclass(frozen=True, slots=True)
class Section:
    """The blocks under one heading, with the headings above it."""

    path: tuple[str, ...]
    """Headings from the outermost to this one; empty before the first heading."""
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Chunk:
    """The unit that is searched, shown and cited: one piece of one section."""

    chunk_id: str
    doc_id: str
    revision: str
    """Identity of the ingested revision of the document; chunks of two revisions never share it."""
    index: int
    """Position among the chunks of the document, from 0."""
    text: str
    section: tuple[str, ...]
    page: int | None
    source: str
    title: str
    doc_type: str
    version: str | None = None
    updated_at: str | None = None
    content_hash: str = ""
    metadata: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    page_end: int | None = None
    """Page the chunk ends on, where it is another than `page`."""

    @property
    def heading(self) -> str:
        """Return the title and the section path as one line, each part once."""
        parts = [self.title, *self.section]
        return " > ".join(dict.fromkeys(part for part in parts if part))

    @property
    def search_text(self) -> str:
        """Return the text that both legs search: the headings, then the chunk.

        Of headings too long to leave the encoder room for the text, the innermost stay.
        """
        parts = list(dict.fromkeys(part for part in [self.title, *self.section] if part))
        while len(parts) > 1 and len(" > ".join(parts)) > MAX_HEADING_CHARS:
            del parts[1 if len(parts) > 2 else 0]
        heading = " > ".join(parts)[:MAX_HEADING_CHARS]
        return f"{heading}\n{self.text}" if heading else self.text


@dataclass(frozen=True, slots=True)
class Parsed:
    """A file read, not yet cleaned."""

    blocks: tuple[Block, ...]
    metadata: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    """Front matter."""
    heading_title: str | None = None
    """First level-1 heading that the author marked as such."""
    property_title: str | None = None
    """Title in the file's properties; often written by a program."""
    updated_at: str | None = None
    """ISO 8601, from the file's properties."""
    encoding: str | None = None
    """Encoding that the bytes were read in; None for formats that state it themselves."""
    warnings: tuple[str, ...] = ()


def document_id(path: Path) -> str:
    """Return the id of the document that a file is: the same for every way to write its path."""
    return hashlib.sha256(str(path.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def source_of(path: Path) -> str:
    """Return the path as people know it: relative to the working folder when inside it, else absolute; with `/`."""
    absolute, here = path.absolute(), Path.cwd()
    return (absolute.relative_to(here) if absolute.is_relative_to(here) else absolute).as_posix()
