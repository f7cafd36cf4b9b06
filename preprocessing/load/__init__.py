"""A file becomes a Document; one module a format, which is imported by the first file that has it."""

import hashlib
import pkgutil
from collections.abc import Callable, Mapping
from pathlib import Path

from preprocessing.clean import clean
from preprocessing.document import Document, Parsed, document_id
from preprocessing.errors import LoadError
from preprocessing.load.content import OLD_SUFFIXES, difference, format_of
from preprocessing.load.hidden_text import hidden_warnings
from preprocessing.load.metadata import first_text, modification_time, sensible_title, stated, version_from_name
from preprocessing.visibility import with_visibility

MAX_BYTES = 100 * 1024 * 1024

_READERS: Mapping[str, str] = {
    ".csv": "preprocessing.load.sheets.csv:read_csv",
    ".docx": "preprocessing.load.word:read_docx",
    ".html": "preprocessing.load.web:read_html",
    ".md": "preprocessing.load.markdown:read_markdown",
    ".pdf": "preprocessing.load.pdf:read_pdf",
    ".pptx": "preprocessing.load.slides:read_pptx",
    ".txt": "preprocessing.load.markdown:read_text",
    ".xlsx": "preprocessing.load.sheets:read_xlsx",
}
"""Readers by format: each takes the bytes of a file and its password."""
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
        read: Callable[[bytes, str | None], Parsed] = pkgutil.resolve_name(_READERS[content])
        parsed = read(data, password)
        blocks = tuple(clean(parsed.blocks))
        if not blocks:
            raise LoadError("no text in the file")
        said = stated(blocks)
        read_in = {"encoding": parsed.encoding} if parsed.encoding else {}
        known = with_visibility({**said.metadata, **read_in, **parsed.metadata, **metadata}, blocks)
    except LoadError as error:
        raise LoadError(f"{source}: {error}") from error
    title, version, updated_at = (first_text(known.pop(key, None)) for key in ("title", "version", "updated_at"))
    title = title or parsed.heading_title or sensible_title(parsed.property_title) or path.stem
    version = version or version_from_name(path.stem) or version_from_name(title)
    return Document(
        doc_id=document_id(path),
        source=source,
        title=title,
        blocks=blocks,
        doc_type=content.removeprefix("."),
        content_hash=hashlib.sha256(data).hexdigest(),
        version=version or said.version,
        updated_at=updated_at or said.date or parsed.updated_at or modification_time(path),
        metadata=known,
        warnings=(
            *filter(None, [difference(suffix, content)]),
            *parsed.warnings,
            *hidden_warnings(data, content, parsed.blocks),
        ),
    )


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
