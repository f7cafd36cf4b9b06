"""A file becomes a Document; one module a format."""

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path

from preprocessing import metadata as about
from preprocessing.clean import clean
from preprocessing.document import Document
from preprocessing.errors import LoadError
from preprocessing.load.docx import read_docx
from preprocessing.load.markdown import read_markdown
from preprocessing.load.parsed import Parsed
from preprocessing.load.pdf import read_pdf
from preprocessing.load.text import read_text
from preprocessing.source import document_id

MAX_BYTES = 100 * 1024 * 1024

Reader = Callable[[bytes, str | None], Parsed]
_READERS: Mapping[str, Reader] = {
    ".md": read_markdown,
    ".txt": read_text,
    ".pdf": read_pdf,
    ".docx": read_docx,
}
SUFFIXES = frozenset(_READERS)


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
        parsed = _READERS[path.suffix.lower()](data, password)
        blocks = tuple(clean(parsed.blocks))
        if not blocks:
            raise LoadError("no text in the file")
    except LoadError as error:
        raise LoadError(f"{source}: {error}") from error
    known = {**parsed.metadata, **metadata}
    title, version, updated_at = (about.first_text(known.pop(key, None)) for key in ("title", "version", "updated_at"))
    return Document(
        doc_id=document_id(path),
        source=source,
        title=title or parsed.heading_title or about.sensible_title(parsed.property_title) or path.stem,
        blocks=blocks,
        doc_type=path.suffix.lower().removeprefix("."),
        content_hash=hashlib.sha256(data).hexdigest(),
        version=version or about.version_from_name(path.stem),
        updated_at=updated_at or parsed.updated_at or about.modification_time(path),
        metadata=known,
        warnings=parsed.warnings,
    )


def _read_bytes(path: Path) -> bytes:
    if path.suffix.lower() not in SUFFIXES:
        kinds = ", ".join(sorted(SUFFIXES))
        raise LoadError(f"files of type {path.suffix or '(none)'} are not supported; supported are {kinds}")
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


__all__ = ["MAX_BYTES", "SUFFIXES", "load"]
