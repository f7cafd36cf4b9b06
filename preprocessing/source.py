"""What a file is called, to people and to the store."""

import hashlib
from pathlib import Path


def document_id(path: Path) -> str:
    """Return the id of the document that a file is: the same for every way to write its path."""
    return hashlib.sha256(str(path.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def source_of(path: Path) -> str:
    """Return the path as people know it: relative to the working folder when inside it, else absolute; with `/`."""
    absolute, here = path.absolute(), Path.cwd()
    return (absolute.relative_to(here) if absolute.is_relative_to(here) else absolute).as_posix()
