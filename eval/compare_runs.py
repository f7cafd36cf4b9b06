"""Two run files, compared by every metric that both have; one metric decides."""

from pathlib import Path

from eval.compare import Comparison, check_same_task, compare
from eval.jsonl import SetError
from eval.runs import Run, load_run

DECIDING = {"retrieval": "MRR@10", "chunking": "hit", "answers": "contains answer"}
"""Command → metric that decides unless another is asked for."""


def compare_runs(
    before: Path, after: Path, *, metric: str | None = None, row: str | None = None, other_row: str | None = None
) -> tuple[list[Comparison], Comparison]:
    """Return a comparison of each metric, and the one that decides.

    Raises SetError when a file is no run, the runs had another task, or have no such row or metric.
    """
    old, new = load_run(before), load_run(after)
    check_same_task(old, new)
    row = row or old.rows[-1]
    metrics = _metrics(old, row)
    metric = metric or DECIDING.get(old.command, metrics[0] if metrics else "")
    if metric not in metrics:
        raise SetError(f"{before}: row {row!r} has no metric {metric!r}; it has {', '.join(metrics) or 'none'}")
    comparisons = [compare(old, new, row, other_row or row, name) for name in metrics]
    return comparisons, comparisons[metrics.index(metric)]


def _metrics(run: Run, row: str) -> list[str]:
    return list(dict.fromkeys(name for question in run.questions for name in question.scores.get(row, {})))
