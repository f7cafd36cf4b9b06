"""Files that a folder says are not to be read: `.folioignore`, written like `.gitignore`."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from preprocessing.encoding import decode

NAME = ".folioignore"


@dataclass(frozen=True, slots=True)
class Ignored:
    """The patterns of one file, for what lies in its folder and below."""

    folder: Path
    rules: tuple[tuple[re.Pattern[str], bool, bool], ...]
    """Pattern of the path inside the folder, whether it takes back (`!`), whether it is for folders alone (`/`)."""

    @classmethod
    def in_folder(cls, folder: Path) -> "list[Ignored]":
        """Return the patterns of the folder's own file, none without one. Raises LoadError when it is no text."""
        file = folder / NAME
        if not file.is_file():
            return []
        lines = (line.rstrip() for line in decode(file.read_bytes())[0].split("\n"))
        return [cls(folder, tuple(_rule(line) for line in lines if line and not line.startswith("#")))]

    @staticmethod
    def any_of(files: "Iterable[Ignored]", path: Path) -> bool:
        """Say whether the path is ignored; the last pattern that matches decides."""
        is_ignored = False
        for file in files:
            inside = path.relative_to(file.folder).as_posix()
            for pattern, takes_back, folders_only in file.rules:
                if pattern.fullmatch(inside) and (not folders_only or path.is_dir()):
                    is_ignored = not takes_back
        return is_ignored


def _rule(line: str) -> tuple[re.Pattern[str], bool, bool]:
    takes_back, line = line.startswith("!"), line.removeprefix("!")
    folders_only, line = line.endswith("/"), line.rstrip("/")
    # A slash ties the pattern to the folder; without one it is for names at any depth.
    prefix = "" if "/" in line else "(?:.*/)?"
    return re.compile(prefix + _regex(line.removeprefix("/"))), takes_back, folders_only


def _regex(pattern: str) -> str:
    parts = re.split(r"(\*\*/|/\*\*$|\*|\?|\[[^\]/]+\])", pattern)
    signs = {"**/": "(?:.*/)?", "/**": "/.*", "*": "[^/]*", "?": "[^/]"}
    return "".join(
        signs.get(part) or (part.replace("[!", "[^", 1) if part.startswith("[") and len(part) > 2 else re.escape(part))
        for part in parts
    )
