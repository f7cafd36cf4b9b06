"""Python processes of our own, for work on files that may loop, eat memory or crash."""

import os
import sys
from pathlib import Path

MEMORY_BYTES = 4 * 2**30


def command(module: str) -> list[str]:
    """Return the command that runs `main()` of a module."""
    # -P: a file in the working folder that is named like a module must not be run.
    return [sys.executable, "-P", "-c", f"from {module} import main; main()"]


def environment() -> dict[str, str]:
    """Return the environment in which such a process finds the same modules."""
    root = str(Path(__file__).resolve().parents[1])
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))}


def limit_memory() -> None:
    """Let this process fail, instead of the machine, when it needs more than `MEMORY_BYTES`."""
    if sys.platform == "linux":
        import resource  # not on Windows; macOS refuses the limit

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
