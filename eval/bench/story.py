"""The story of `eval bench`: each side of each task in a process of its own, then one table."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from pkgutil import resolve_name
from typing import Annotated

import typer

from agent.settings import load_settings
from eval.bench.measure import (
    BUILD,
    CHUNKS,
    ENCODED,
    FILTERED,
    MEMORY,
    P95,
    QUERY,
    REOPEN,
    SPEED,
    Figures,
    in_a_process,
    peak_mebibytes,
)
from eval.options import JsonOption, RunsOption
from eval.runs.run import Run, describe, kept_at, new_run
from eval.runs.tables import Cell, markdown_table
from eval.sets.load import SAMPLE

COLUMNS = (BUILD, CHUNKS, SPEED, ENCODED, QUERY, P95, FILTERED, REOPEN, MEMORY)
SIZES = (1_000, 10_000, 100_000)
CONTESTS = {
    "ingest": {"Folio": "eval.bench.folio:ingest", "usual pipeline": "eval.bench.stock:ingest"},
    "hybrid search": {"Folio": "eval.bench.folio:hybrid", "stock parts": "eval.bench.stock:hybrid"},
    "encoding": {
        "Folio": "eval.bench.folio:encode",
        "one text at a time": "eval.bench.stock:encode",
    },
    "reranking": {"Folio": "eval.bench.folio:rerank"},
}
"""Task → who does it → where. Each takes a size, or for ingest what is ingested."""
_FIXED = {"encoding": ["60"], "reranking": ["20"]}


def bench_command(
    task: Annotated[
        list[str] | None, typer.Option(help=f"One of {', '.join(CONTESTS)}; may be repeated. All by default.")
    ] = None,
    size: Annotated[
        list[int] | None, typer.Option(min=10, help="Chunks; may be repeated. 1,000, 10,000 and 100,000 by default.")
    ] = None,
    documents: Annotated[
        list[Path] | None, typer.Option(exists=True, help="File or folder to ingest; may be repeated.")
    ] = None,
    json: JsonOption = None,
    runs: RunsOption = None,
) -> None:
    """Measure speed and memory side by side with stock parts."""
    settings, rows = load_settings(), dict[str, Figures]()
    paths = documents or [SAMPLE / "docs" / "系统错误码手册.md"]
    for row, figures in bench(task or list(CONTESTS), size or SIZES, paths):
        typer.echo(f"{row}: done", err=True)
        rows[row] = figures
    run = new_run("bench", describe(settings, settings.embed_model), list(rows), statistics=rows)
    keep = kept_at(settings, "bench", "parts", json, runs)
    run.save(keep)
    typer.echo(bench_table(run))
    typer.echo(f"run: {keep}", err=True)


def bench(
    tasks: Sequence[str],
    sizes: Sequence[int],
    documents: Sequence[Path],
    measured: Callable[[str, str, str], Figures] = in_a_process,
) -> Iterator[tuple[str, Figures]]:
    """Yield `task | side | size` and its figures, a side after the other; raise FolioError when one fails."""
    inputs = {"ingest": list(map(str, documents)), "hybrid search": list(map(str, sizes)), **_FIXED}
    for task in tasks:
        for size in inputs[task]:
            for side in CONTESTS[task]:
                name = Path(size).name if task == "ingest" else f"{int(size):,}"
                yield f"{task} | {side} | {name}", measured(task, side, size)


def bench_table(run: Run) -> str:
    """Return one line a side; what a task does not measure is left open."""
    lines: list[list[Cell]] = [
        [*row.split(" | "), *(_figure(run.statistics[row], column) for column in COLUMNS)] for row in run.rows
    ]
    return markdown_table(["task", "", "size", *COLUMNS], lines)


def _figure(figures: Figures, column: str) -> str:
    if column not in figures:
        return ""
    value = figures[column]
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def main(task: str, side: str, size: str) -> dict[str, float]:
    """Run one side here and return its figures with the peak memory of this process."""
    figures: Figures = resolve_name(CONTESTS[task][side])(size)
    return {**figures, MEMORY: peak_mebibytes()}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(*sys.argv[1:])))
