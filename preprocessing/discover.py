"""Which files a person means by the paths they give."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from pathspec import GitIgnoreSpec

from preprocessing.load import OPENED, unsupported

IGNORE_FILE = ".folioignore"
"""Names what in its folder and below is not to be read, written like `.gitignore`, in UTF-8."""
Ignored = tuple[tuple[Path, GitIgnoreSpec], ...]
_WILD = "*?["


def discover(paths: Sequence[Path]) -> tuple[list[Path], list[tuple[Path, str]]]:
    """Return the files to load, each once and sorted within its folder, and the paths left out with the reason.

    A path that names nothing may be a pattern (`**/*.pdf`). Hidden files, files of other types inside a folder and
    what a `.folioignore` file there names are left out without a word; links are followed only to files and folders
    inside the folder that was named.
    """
    files: dict[Path, Path] = {}
    left_out: list[tuple[Path, str]] = []
    for path in [named for given in paths for named in _matches(given)]:
        if path.is_dir():
            found = _walk(path, path.resolve(), {path.resolve()}, (), left_out)
        elif not path.exists():
            left_out.append((path, _absent(path)))
            continue
        elif path.suffix.lower() not in OPENED:
            left_out.append((path, unsupported(path)))
            continue
        else:
            found = iter([path])
        for file in found:
            files.setdefault(file.resolve(), file)
    return list(files.values()), left_out


def _matches(path: Path) -> list[Path]:
    """Return what a pattern matches, or the path itself; a file whose name looks like a pattern is that file."""
    if os.path.lexists(path) or not any(sign in str(path) for sign in _WILD):
        return [path]
    fixed = [part for part in path.parts if not any(sign in part for sign in _WILD)]
    root = Path(*path.parts[: next(n for n, part in enumerate(path.parts) if part not in fixed)])
    found = sorted(root.glob(str(path.relative_to(root))))
    shown = [match for match in found if not any(part.startswith(".") for part in match.relative_to(root).parts)]
    wanted = [match for match in shown if match.is_file() and match.suffix.lower() in OPENED]
    return wanted or [path]


def _absent(path: Path) -> str:
    if any(sign in str(path) for sign in _WILD):
        return "no file matches that can be read"
    return "broken link" if path.is_symlink() else "no such file or folder"


def _walk(
    folder: Path, root: Path, seen: set[Path], ignored: Ignored, left_out: list[tuple[Path, str]]
) -> Iterator[Path]:
    try:
        entries = sorted(folder.iterdir())
        ignored = (*ignored, *_ignored_in(folder))
    except OSError as error:
        left_out.append((folder, f"cannot be read: {error.strerror}"))
        return
    except UnicodeDecodeError:
        left_out.append((folder, f"its {IGNORE_FILE} is no UTF-8 text"))
        return
    # Links last, so that a file reached both ways is given under its own name.
    for entry in sorted(entries, key=Path.is_symlink):
        if entry.name.startswith(".") or _is_ignored(entry, ignored):
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
                yield from _walk(entry, root, seen, ignored, left_out)
        elif entry.is_file() and entry.suffix.lower() in OPENED:
            yield entry


def _ignored_in(folder: Path) -> Ignored:
    file = folder / IGNORE_FILE
    if not file.is_file():
        return ()
    return ((folder, GitIgnoreSpec.from_lines(file.read_text(encoding="utf-8-sig").splitlines())),)


def _is_ignored(path: Path, ignored: Ignored) -> bool:
    """Say whether the path is ignored; the innermost folder whose patterns match it decides."""
    for folder, patterns in reversed(ignored):
        inside = path.relative_to(folder).as_posix()
        said = patterns.check_file(f"{inside}/" if path.is_dir() else inside).include
        if said is not None:
            return said
    return False


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
