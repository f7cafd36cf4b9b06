"""A file becomes a Document; one module a format."""

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path

from preprocessing import metadata as about
from preprocessing.clean import clean
from preprocessing.document import Document
from preprocessing.errors import LoadError
from preprocessing.hidden_text import hidden_warnings
from preprocessing.load.content import OLD_SUFFIXES, difference, format_of
from preprocessing.load.csv import read_csv
from preprocessing.load.docx import read_docx
from preprocessing.load.html import read_html
from preprocessing.load.markdown import read_markdown
from preprocessing.load.parsed import Parsed
from preprocessing.load.pdf import read_pdf
from preprocessing.load.pptx import read_pptx
from preprocessing.load.text import read_text
from preprocessing.load.xlsx import read_xlsx
from preprocessing.source import document_id
from preprocessing.stated import stated
from preprocessing.visibility import with_visibility

MAX_BYTES = 100 * 1024 * 1024

Reader = Callable[[bytes, str | None], Parsed]
_READERS: Mapping[str, Reader] = {
    ".csv": read_csv,
    ".docx": read_docx,
    ".html": read_html,
    ".md": read_markdown,
    ".pdf": read_pdf,
    ".pptx": read_pptx,
    ".txt": read_text,
    ".xlsx": read_xlsx,
}
SUFFIXES = frozenset({*_READERS, ".htm"})
OPENED = SUFFIXES | OLD_SUFFIXES
"""Suffixes of files that are opened: those that are read, and old ones under which newer formats are often found."""


def load(
    path: Path,
    *,
    source: str,
    metadata: Mapping[str, str | tuple[str, ...]] = {},
    password: str | None = None,
) -> Document:
    """Read a file into clean blocks; what the caller says in `metadata` wins over the file's front matter.

    Raises LoadError, naming the source, for a file that holds no usable text.
    """
    try:
        data = _read_bytes(path)
        suffix = path.suffix.lower()
        content = format_of(data, suffix)
        parsed = _READERS[content](data, password)
        blocks = tuple(clean(parsed.blocks))
        if not blocks:
            raise LoadError("no text in the file")
        said = stated(blocks)
        known = with_visibility({**said.metadata, **_encoding(parsed), **parsed.metadata, **metadata}, blocks)
    except LoadError as error:
        raise LoadError(f"{source}: {error}") from error
    title, version, updated_at = (about.first_text(known.pop(key, None)) for key in ("title", "version", "updated_at"))
    title = title or parsed.heading_title or about.sensible_title(parsed.property_title) or path.stem
    version = version or about.version_from_name(path.stem) or about.version_from_name(title)
    return Document(
        doc_id=document_id(path),
        source=source,
        title=title,
        blocks=blocks,
        doc_type=content.removeprefix("."),
        content_hash=hashlib.sha256(data).hexdigest(),
        version=version or said.version,
        updated_at=updated_at or said.date or parsed.updated_at or about.modification_time(path),
        metadata=known,
        warnings=(
            *filter(None, [difference(suffix, content)]),
            *parsed.warnings,
            *hidden_warnings(data, content, parsed.blocks),
        ),
    )


def _encoding(parsed: Parsed) -> dict[str, str]:
    """Record the encoding that was found; `utf-8-sig` is UTF-8 with a byte-order mark."""
    return {"encoding": parsed.encoding} if parsed.encoding else {}


def unsupported(path: Path) -> str:
    """Return what to tell a person about a file that is not opened."""
    kinds = ", ".join(sorted(SUFFIXES))
    return f"files of type {path.suffix or '(none)'} are not supported; supported are {kinds}"


def _read_bytes(path: Path) -> bytes:
    if path.suffix.lower() not in OPENED:
        raise LoadError(unsupported(path))
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise LoadError(f"file has {size / 2**20:.0f} MB, the limit is {MAX_BYTES // 2**20} MB; split it")
        data = path.read_bytes()
    except OSError as error:
        raise LoadError(f"cannot be read: {error.strerror}") from error
    if not data.strip():
        raise LoadError("file is empty")
    return data


__all__ = ["MAX_BYTES", "OPENED", "SUFFIXES", "load", "unsupported"]
