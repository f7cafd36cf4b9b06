"""What a person gives to be brought in, as files with the names they go by."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from tempfile import TemporaryDirectory
from typing import Self

from preprocessing.discover import discover
from preprocessing.errors import FolioError
from preprocessing.source import document_id, source_of

Metadata = Mapping[str, str | tuple[str, ...]]

_MOST_NAME_BYTES = 200


class UnsafeName(FolioError):
    """A name is none that a file of the working folder could have."""


@dataclass(frozen=True, slots=True)
class Given:
    """A file to bring in."""

    path: Path
    """Where its bytes are."""
    source: str
    doc_id: str
    lasts: bool = True
    """False when the path ends with the ingest, and its absence later means nothing."""

    @classmethod
    def at(cls, path: Path) -> Self:
        """Return a file that a person named."""
        return cls(path, source_of(path), document_id(path))


def given_at(paths: Sequence[Path]) -> tuple[list[Given], list[tuple[str, str]]]:
    """Return the files that the paths mean, and (source, reason) of those that cannot be brought in."""
    files, left_out = discover(paths)
    return [Given.at(path) for path in files], [(source_of(path), reason) for path, reason in left_out]


@contextmanager
def given_data(data: bytes, name: str) -> Iterator[Given]:
    """Yield what has no file of its own, as a file of that name in the working folder would be.

    Raises UnsafeName for a name that leads out of it.
    """
    _check_name(name)
    with TemporaryDirectory() as folder:
        # Only the last part of the name is used, so that it cannot lead out of the folder.
        path = Path(folder, Path(name).name)
        path.write_bytes(data)
        yield Given(path, source_of(Path(name)), document_id(Path(name)), lasts=False)


def _check_name(name: str) -> None:
    # Read as on Windows, where both slashes part folders: the name may come from any machine.
    path = PureWindowsPath(name)
    is_inside = not path.drive and not path.root and ".." not in path.parts
    is_name = name.isprintable() and path.name and len(path.name.encode("utf-8", "replace")) <= _MOST_NAME_BYTES
    if not (is_inside and is_name):
        shown = name if len(name) <= _MOST_NAME_BYTES else f"{name[:40]}…"
        raise UnsafeName(f"{shown!r} is no name for a document; a right one is notes.md or hr/notes.md")
