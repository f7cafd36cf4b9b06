"""What Office files have in common: a ZIP package, which may unpack to more than memory holds."""

import io
import zipfile
from typing import Any

from preprocessing.errors import LoadError

MAX_UNPACKED_BYTES = 300 * 1024 * 1024
MAX_RATIO = 100
"""Unpacked over packed size of one part; text packs at most about 20 to 1."""
_RATIO_MATTERS_BYTES = 10 * 1024 * 1024


def check_package(data: bytes, max_unpacked_bytes: int | None = None) -> None:
    """Raise LoadError, before anything is unpacked, for a package that is broken or too large inside."""
    try:
        parts = zipfile.ZipFile(io.BytesIO(data)).infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise LoadError("broken or cut short (the ZIP package inside cannot be read); get the file again") from error
    unpacked, most = sum(part.file_size for part in parts), max_unpacked_bytes or MAX_UNPACKED_BYTES
    if unpacked > most:
        raise LoadError(f"unpacks to {unpacked >> 20} MB, the limit is {most >> 20} MB; split it")
    for part in parts:
        ratio = part.file_size / max(part.compress_size, 1)
        if part.file_size > _RATIO_MATTERS_BYTES and ratio > MAX_RATIO:
            raise LoadError(f"part {part.filename} unpacks {ratio:.0f} to 1, the limit is {MAX_RATIO} to 1")


def modified_at(properties: Any, relations: Any) -> str | None:
    """Return when the author last saved the file, ISO 8601.

    `relations` are those of the package: without properties among them the reader makes some up, dated today.
    """
    if not any(str(relation.reltype).endswith("/core-properties") for relation in relations):
        return None
    return properties.modified.isoformat() if properties.modified else None
