"""A program at a real terminal: what it writes is read, what a person would type is written."""

import os
import pty
import select
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
PATIENCE_SECONDS = 40
"""Longer than any machine needs; only a program that hangs waits for it."""

ENTER, BACKSPACE, CTRL_C, CTRL_D = b"\r", b"\x7f", b"\x03", b"\x04"

# The program must own the terminal, or Ctrl-C would reach nobody.
_OWN = "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"


class Terminal:
    """Runs Python code at a pseudo-terminal."""

    def __init__(self, code: str, folder: Path, environment: Mapping[str, str]) -> None:
        self._master, inside = pty.openpty()
        self._process = subprocess.Popen(
            [sys.executable, "-c", _OWN + code],
            stdin=inside,
            stdout=inside,
            stderr=inside,
            cwd=folder,
            # No terminal answers here when it is asked where its cursor is.
            env={"PYTHONPATH": str(ROOT), "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1", **environment},
            start_new_session=True,
        )
        os.close(inside)
        self._bytes = b""
        self.output = ""
        """All that was written so far."""
        self._read = 0

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_exception: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._master)

    def type(self, *keys: str | bytes) -> None:
        """Press keys."""
        for key in keys:
            os.write(self._master, key.encode() if isinstance(key, str) else key)

    def wait_for(self, text: str) -> None:
        """Wait until the text is written, after what was waited for before."""
        while text not in self.output[self._read :]:
            if not self._more():
                raise AssertionError(f"ended without {text!r}: {self.output!r}")
        self._read = self.output.index(text, self._read) + len(text)

    def wait_for_prompt(self) -> None:
        """Wait until the prompt takes keys: it asks for pasted text to be marked."""
        self.wait_for("\x1b[?2004h")

    def wait_for_end(self) -> int:
        """Wait until the program ends and return its exit code."""
        while self._more():
            pass
        return self._process.wait(PATIENCE_SECONDS)

    def _more(self) -> bool:
        ready, _, _ = select.select([self._master], [], [], PATIENCE_SECONDS)
        if not ready:
            raise AssertionError(f"nothing more came after {self.output!r}")
        try:
            data = os.read(self._master, 65536)
        except OSError:
            # What Linux says when the program has closed its side.
            return False
        self._bytes += data
        self.output = self._bytes.decode(errors="replace")
        return bool(data)
