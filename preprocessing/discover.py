"""Which files a person means by the paths they give."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from preprocessing.load import SUFFIXES


def discover(paths: Sequence[Path]) -> tuple[list[Path], list[tuple[Path, str]]]:
    """Return the files to load, each once and sorted within its folder, and the paths left out with the reason.

    Hidden files and files of other types inside a folder are left out without a word; links are followed only to
    files and folders inside the folder that was named.
    """
    files: dict[Path, Path] = {}
    left_out: list[tuple[Path, str]] = []
    for path in paths:
        if path.is_dir():
            found = _walk(path, path.resolve(), {path.resolve()}, left_out)
        elif not path.exists():
            left_out.append((path, "broken link" if path.is_symlink() else "no such file or folder"))
            continue
        elif path.suffix.lower() not in SUFFIXES:
            kinds = ", ".join(sorted(SUFFIXES))
            left_out.append((path, f"files of type {path.suffix or '(none)'} are not supported; supported are {kinds}"))
            continue
        else:
            found = iter([path])
        for file in found:
            files.setdefault(file.resolve(), file)
    return list(files.values()), left_out


def _walk(folder: Path, root: Path, seen: set[Path], left_out: list[tuple[Path, str]]) -> Iterator[Path]:
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        left_out.append((folder, f"cannot be read: {error.strerror}"))
        return
    # Links last, so that a file reached both ways is given under its own name.
    for entry in sorted(entries, key=Path.is_symlink):
        if entry.name.startswith("."):
            continue
        if entry.is_symlink():
            reason = _link_problem(entry, root, seen)
            if reason:
                left_out.append((entry, reason))
                continue
        if entry.is_dir():
            target = entry.resolve()
            if target not in seen:
                seen.add(target)
                yield from _walk(entry, root, seen, left_out)
        elif entry.is_file() and entry.suffix.lower() in SUFFIXES:
            yield entry


def _link_problem(link: Path, root: Path, seen: set[Path]) -> str | None:
    try:
        target = link.resolve(strict=True)
    except (OSError, RuntimeError):  # RuntimeError: a link to itself, before Python 3.13
        return "broken link"
    if not target.is_relative_to(root):
        return "link leaves the folder"
    if target in seen:
        return "link to a folder already read"
    return None
