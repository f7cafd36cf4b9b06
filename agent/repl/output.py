"""What the chat writes: plain text everywhere, and links where a terminal can open them."""

import os
import sys
from pathlib import Path
from typing import TextIO

from agent.show import printable


def write(text: str) -> None:
    """Write lines; nothing in them can steer the terminal."""
    write_raw(printable(text) + "\n")


def write_raw(text: str) -> None:
    """Write text that was made for the terminal."""
    sys.stdout.write(text)
    sys.stdout.flush()


def is_terminal(stream: TextIO) -> bool:
    """Say whether the stream is a terminal that understands more than text."""
    return stream.isatty() and os.environ.get("TERM", "") != "dumb"


def linked(text: str, source: str, page: int | None) -> str:
    """Return the text as a link to the file of a document (OSC 8); as it is where there is no file or no terminal.

    A terminal that knows no links shows the text alone.
    """
    text = printable(text)
    if not is_terminal(sys.stdout):
        return text
    try:
        path = Path(source).absolute()
        if not path.is_file():
            return text
    except (OSError, ValueError):
        # What is no name of a file, such as one that is too long.
        return text
    place = f"{path.as_uri()}#page={page}" if page else path.as_uri()
    return f"\x1b]8;;{place}\x1b\\{text}\x1b]8;;\x1b\\"
