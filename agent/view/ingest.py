"""What an ingest did or would do, as JSON and for a person."""

import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from retrieval.ingest import IngestReport, Plan

_MOST_NAMED = 5

Tell = Callable[[int, int, str], None]


def report_json(report: IngestReport) -> dict[str, Any]:
    """Return the report of an ingest in the form of the contract; documents without a file are said where there are."""
    without_file = {"missing": report.missing, "removed": report.removed}
    return {
        "documents": report.documents,
        "chunks": report.chunks,
        "unchanged": report.unchanged,
        "updated": report.updated,
        "failed": _failures_json(report.failed),
        **{name: sources for name, sources in without_file.items() if sources},
    }


def report_text(report: IngestReport) -> str:
    """Return what an ingest did in one line."""
    return (
        f"{report.documents} documents, {report.chunks} chunks "
        f"({report.unchanged} unchanged, {report.updated} updated, {len(report.failed)} failed)"
    )


def problems_text(report: IngestReport) -> list[str]:
    """Return the failures and warnings, a line each."""
    failed = [f"failed   {source}: {error}" for source, error in report.failed]
    warned = [f"warning  {source}: {warning}" for source, warning in report.warnings]
    removed = [f"removed  {source}: its file is gone" for source in report.removed]
    return [*failed, *warned, *removed, *_missing_text(report.missing)]


def _missing_text(missing: Sequence[str]) -> list[str]:
    if not missing:
        return []
    one = len(missing) == 1
    named = ", ".join(missing[:_MOST_NAMED]) + (", …" if len(missing) > _MOST_NAMED else "")
    who = "1 document no longer has a file" if one else f"{len(missing)} documents no longer have a file"
    how = f"folio documents delete {shlex.quote(missing[0])}"
    return [f"warning  {who} ({named}); to remove {'it' if one else 'the first'}: {how}"]


def plan_json(planned: Plan) -> dict[str, Any]:
    """Return the sources by what would become of them."""
    return {
        "new": planned.sources("new"),
        "updated": planned.sources("updated"),
        "unchanged": planned.sources("unchanged"),
        "failed": _failures_json(planned.failed),
    }


def plan_text(planned: Plan) -> list[str]:
    """Return what would become of each file, and the sum."""
    lines = [f"{outcome:<10} {source}" for source, outcome in planned.outcomes if outcome != "unchanged"]
    failed = [f"{'failed':<10} {source}: {error}" for source, error in planned.failed]
    counts = {name: len(sources) for name, sources in plan_json(planned).items()}
    summary = ", ".join(f"{count} {name}" for name, count in counts.items())
    return [*lines, *failed, f"would be: {summary}; nothing was written"]


@contextmanager
def progress_bar() -> Iterator[Tell | None]:
    """Show the progress of an ingest on standard error, when that is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("")
        yield lambda done, total, source: bar.update(task, completed=done, total=total, description=source)


def _failures_json(failed: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"source": source, "error": error} for source, error in failed]
