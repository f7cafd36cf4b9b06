"""Progress with an estimate, on standard error."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn


class Steps:
    """One bar per kind of work; a bar appears at its first step."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._tasks: dict[str, int] = {}

    def show(self, work: str, done: int, total: int) -> None:
        """Say that `done` of `total` steps of the work are done."""
        if work not in self._tasks:
            self._tasks[work] = self._bars.add_task(work, total=total)
        self._bars.update(self._bars.task_ids[self._tasks[work]], completed=done, total=total)


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
