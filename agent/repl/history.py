"""Earlier inputs, kept in a file that only its owner reads."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from agent.repl.output import write

if TYPE_CHECKING:
    from prompt_toolkit.history import History

_MODE = 0o600


def open_history(path: Path) -> "History":
    """Open the file of earlier inputs; one that cannot be used is said once and done without.

    Bytes that are no text are replaced in the file, and the lines that are text are kept.
    """
    from prompt_toolkit.history import FileHistory, InMemoryHistory

    try:
        _make_private(path)
        if _mend(path):
            write(f"! some earlier inputs in {path} were no text; the others are kept")
    except OSError as error:
        write(f"! earlier inputs are not kept: {path}: {error.strerror}")
        return InMemoryHistory()
    return FileHistory(path)


def _make_private(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, _MODE))
    if path.stat().st_mode & 0o077:
        # A file of an earlier version, or one that was copied here.
        path.chmod(_MODE)


def _mend(path: Path) -> bool:
    """Say whether the file held bytes that are no text, and hold their replacement in it."""
    held = path.read_bytes()
    try:
        held.decode("utf-8")
    except UnicodeDecodeError:
        mended = path.with_name(f"{path.name}.mended")
        mended.write_bytes(held.decode("utf-8", "replace").encode())
        mended.chmod(_MODE)
        mended.replace(path)
        return True
    return False
