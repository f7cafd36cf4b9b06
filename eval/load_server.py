"""A server of its own for a load: `folio serve` on a free port, in a new folder, with the offline model."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from preprocessing.errors import FolioError

_COMMAND = [sys.executable, "-c", "from agent.cli import main; main()", "serve", "--port", "0"]
_OWN = ("FOLIO_", "OPENAI_", "LANGSMITH_", "LANGCHAIN_")
_SETTINGS = {
    "FOLIO_CHAT_MODEL": "offline",
    "FOLIO_HTTP__HOST": "127.0.0.1",
    # Some uploads are answered before they are in.
    "FOLIO_HTTP__BACKGROUND_MB": "0.004",
}
_START_SECONDS = 120


@dataclass(frozen=True, slots=True)
class Server:
    """A server under load."""

    url: str
    process: int
    log: Path

    def mebibytes(self) -> float:
        """Return the memory that it holds now."""
        told = subprocess.run(["ps", "-o", "rss=", "-p", str(self.process)], capture_output=True, text=True, check=True)
        return int(told.stdout) / 1024

    def faults(self) -> int:
        """Return how many errors its log tells of."""
        return self.log.read_text(encoding="utf-8", errors="replace").count(" ERROR ")


@contextmanager
def serving(folder: Path, settings: Mapping[str, str] | None = None) -> Iterator[Server]:
    """Serve from an empty FOLIO_HOME in the folder, with these variables, until the end of the block.

    Raises FolioError when it does not start.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith(_OWN)}
    path = os.pathsep.join(filter(None, [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH")]))
    environment |= {"PYTHONPATH": path, "FOLIO_HOME": str(folder / "home"), **_SETTINGS, **(settings or {})}
    log = folder / "server.log"
    with log.open("wb") as errors:
        process = subprocess.Popen(_COMMAND, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stderr=errors)
    try:
        yield Server(_address(process, log), process.pid, log)
    finally:
        process.terminate()
        process.wait()


def _address(process: "subprocess.Popen[bytes]", log: Path) -> str:
    ends = time.monotonic() + _START_SECONDS
    while process.poll() is None and time.monotonic() < ends:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        if any("Application startup complete" in line for line in lines):
            return next(line.split()[-1] for line in lines if line.startswith("Folio answers at "))
        time.sleep(0.05)
    last = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
    raise FolioError(f"load: the server did not start: {last[0] if last else 'it said nothing'}")
