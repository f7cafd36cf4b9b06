"""Progress with an estimate, on standard error."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

Step = Callable[[int, int], None]
"""Takes (steps done, steps in all)."""


class Steps:
    """One bar per kind of work."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars

    def bar(self, work: str) -> Step:
        """Return what moves the bar of the work; it appears at the first step."""
        task = self._bars.add_task(work, total=None, visible=False)

        def step(done: int, total: int) -> None:
            self._bars.update(task, completed=done, total=total, visible=True)

        return step


@contextmanager
def progress() -> Iterator[Steps]:
    """Show bars while the work goes on, and nothing where standard error is no terminal."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        yield Steps(bars)
