"""One side of a bench in a process of its own, so that its memory can be told."""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from preprocessing.errors import FolioError


def in_a_process(module: str, arguments: Sequence[str], what: str) -> dict[str, float]:
    """Return the figures that the module prints as JSON; raise FolioError, which says `what`, when it fails."""
    # The child must find this very code, wherever it was started.
    path = os.pathsep.join(filter(None, [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        capture_output=True,
        encoding="utf-8",
        check=False,
        env={**os.environ, "PYTHONPATH": path},
    )
    if done.returncode:
        reason = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit status {done.returncode}"
        raise FolioError(f"bench: {what} failed: {reason}")
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def peak_mebibytes() -> float:
    """Return the most memory that this process has held."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Linux counts kibibytes, macOS bytes.
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)
