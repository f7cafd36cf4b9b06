"""Two runs of the same questions, question by question: what got better, what got worse, and whether it is chance."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from eval.metrics.bootstrap import Difference, paired_difference
from eval.runs.run import QuestionScore, Run, check_same_task, load_run
from eval.runs.tables import Cell, markdown_table
from eval.sets.files import SetError


@dataclass(frozen=True, slots=True)
class Change:
    """One question whose score differs."""

    question: QuestionScore
    """As the second run has it."""
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """One metric of one row of each run."""

    metric: str
    questions: int
    """Questions that both runs scored."""
    before: float
    after: float
    difference: Difference
    better: list[Change]
    """Largest change first, as in `worse`."""
    worse: list[Change]

    @property
    def verdict(self) -> str:
        """Return `no difference`, `no significant difference`, `significant gain` or `significant loss`."""
        if not self.better and not self.worse:
            return "no difference"
        if not self.difference.significant:
            return "no significant difference"
        return "significant loss" if self.difference.mean < 0 else "significant gain"


def compare_command(
    before: Annotated[Path, typer.Argument(help="Run, as a command of `eval` wrote it.", show_default=False)],
    after: Annotated[Path, typer.Argument(help="Run to compare with it.", show_default=False)],
    metric: Annotated[
        str | None,
        typer.Option(help="What decides; by default MRR@10 or, of answers, contains answer.", show_default=False),
    ] = None,
    row: Annotated[
        str | None, typer.Option(help="Row of the table; by default the last one of the first run.", show_default=False)
    ] = None,
    other_row: Annotated[
        str | None, typer.Option(help="Row of the second run where it is another one.", show_default=False)
    ] = None,
) -> None:
    """Compare two runs question by question; exit status 1 on a significant loss."""
    comparisons, deciding = compare_runs(before, after, metric=metric, row=row, other_row=other_row)
    typer.echo(comparison_text(comparisons, deciding))
    raise typer.Exit(1 if deciding.verdict == "significant loss" else 0)


def compare(before: Run, after: Run, row_before: str, row_after: str, metric: str) -> Comparison:
    """Return how the metric changed from a row of one run to a row of the other, over the questions of both.

    Raises SetError when the runs had another task, or have nothing to compare.
    """
    check_same_task(before, after)
    old, new = _scores(before, row_before, metric), _scores(after, row_after, metric)
    common = [query_id for query_id in old if query_id in new]
    if not common:
        raise SetError(
            f"no question has {metric} in both {row_before!r} of the first run and {row_after!r} of the other"
        )
    questions = {question.query_id: question for question in after.questions}
    changes = [Change(questions[name], old[name], new[name]) for name in common if old[name] != new[name]]
    changes.sort(key=lambda change: -abs(change.after - change.before))
    scores_before, scores_after = [old[name] for name in common], [new[name] for name in common]
    return Comparison(
        metric=metric,
        questions=len(common),
        before=sum(scores_before) / len(common),
        after=sum(scores_after) / len(common),
        difference=paired_difference(scores_before, scores_after),
        better=[change for change in changes if change.after > change.before],
        worse=[change for change in changes if change.after < change.before],
    )


def _scores(run: Run, row: str, metric: str) -> dict[str, float]:
    if row not in run.rows:
        raise SetError(f"the run of {run.created_at} has no row {row!r}; it has {', '.join(run.rows)}")
    return {
        question.query_id: question.scores[row][metric]
        for question in run.questions
        if metric in question.scores.get(row, {})
    }


DECIDING = {"retrieval": "MRR@10", "answers": "contains answer"}
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
    metrics = [name for name in _metrics(old, row) if name in _metrics(new, other_row or row)]
    metric = metric or DECIDING.get(old.command, metrics[0] if metrics else "")
    if metric not in metrics:
        raise SetError(f"{before}: row {row!r} has no metric {metric!r}; it has {', '.join(metrics) or 'none'}")
    comparisons = [compare(old, new, row, other_row or row, name) for name in metrics]
    return comparisons, comparisons[metrics.index(metric)]


def _metrics(run: Run, row: str) -> list[str]:
    return list(dict.fromkeys(name for question in run.questions for name in question.scores.get(row, {})))


EXAMPLES = 5


def comparison_text(comparisons: Sequence[Comparison], deciding: Comparison) -> str:
    """Return a table over the metrics, examples of what changed in the deciding one, and the verdict."""
    lines: list[list[Cell]] = [
        [
            one.metric,
            one.before,
            one.after,
            f"{one.difference.mean:+.3f}",
            f"{one.difference.low:+.3f} to {one.difference.high:+.3f}",
            f"{one.difference.p:.3f}",
        ]
        for one in comparisons
    ]
    table = markdown_table(["", "before", "after", "difference", "95 % interval", "p"], lines)
    equal = deciding.questions - len(deciding.better) - len(deciding.worse)
    counts = f"{deciding.metric}: {len(deciding.better)} better, {len(deciding.worse)} worse, {equal} equal"
    parts = [table, counts, *_examples("worse", deciding.worse), *_examples("better", deciding.better)]
    return "\n\n".join([*parts, f"{deciding.metric}: {deciding.verdict}"])


def _examples(title: str, changes: Sequence[Change]) -> list[str]:
    if not changes:
        return []
    lines = [
        f"- {change.before:.3f} → {change.after:.3f}  {change.question.query_id}  {change.question.question}"
        for change in changes[:EXAMPLES]
    ]
    more = len(changes) - EXAMPLES
    return ["\n".join([f"{title}:", *lines, *([f"- and {more} more"] if more > 0 else [])])]
