"""What a process of ours is given and allowed, since a file may loop, eat memory or crash."""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform == "linux":  # macOS refuses the limit on memory, Windows knows none
    import resource

MEMORY_BYTES = 4 * 2**30
TIMED_OUT = 75
"""What a process exits with that ended itself because a step took too long."""
_limited = threading.Event()


def cores() -> int:
    """Return how many cores this process may use, which in a container are fewer than there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def command(module: str) -> list[str]:
    """Return the command that runs `main()` of a module."""
    # -P: a file in the working folder that is named like a module must not be run.
    return [sys.executable, "-P", "-c", f"from {module} import main; main()"]


def environment() -> dict[str, str]:
    """Return the environment in which such a process finds the same modules."""
    root = str(Path(__file__).resolve().parents[1])
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))}


def limit() -> None:
    """Let this process fail, instead of the machine, when it needs more than `MEMORY_BYTES`, and end at time limits."""
    _limited.set()
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """End a process that was limited, since nothing else ends a loop, unless the body is done in time."""
    timer = threading.Timer(seconds, os._exit, [TIMED_OUT])
    timer.daemon = True
    if _limited.is_set():
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def disable_telemetry() -> None:
    """Keep ONNX Runtime silent; has to come before its import. Whoever has set its own variable is left alone."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
