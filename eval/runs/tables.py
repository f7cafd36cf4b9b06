"""Runs as tables for people."""

from collections.abc import Sequence
from statistics import fmean

from rich.cells import cell_len

from eval.metrics.bootstrap import interval
from eval.runs.run import QuestionScore, Run

Cell = str | float


def scores_of(questions: Sequence[QuestionScore], row: str, metric: str) -> list[float]:
    """Return the scores of the questions that the metric applies to."""
    return [question.scores[row][metric] for question in questions if metric in question.scores[row]]


def mean_score(questions: Sequence[QuestionScore], row: str, metric: str) -> float | str:
    """Return the mean over the questions that the metric applies to, `–` when there is none."""
    scores = scores_of(questions, row, metric)
    return fmean(scores) if scores else "–"


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Return a Markdown table whose columns line up in a fixed-width font; numbers get three places and the right side.

    A Chinese character is two columns wide.
    """
    texts = [[f"{cell:.3f}" if isinstance(cell, float) else cell for cell in row] for row in [header, *rows]]
    widths = [max(3, *(cell_len(row[column]) for row in texts)) for column in range(len(header))]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return "\n".join(_line(row, widths) for row in [texts[0], rule, *texts[1:]])


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padding = [" " * (width - cell_len(cell)) for cell, width in zip(cells, widths, strict=True)]
    first, *others = zip(cells, padding, strict=True)
    return "| " + " | ".join([first[0] + first[1], *(space + cell for cell, space in others)]) + " |"


def of_set(run: Run, unit: str = "") -> str:
    """Return the first words of a title: which set, how many questions, and how much is searched."""
    if run.set is None:
        return run.command
    return f"{run.set.name}/{run.set.split}: {len(run.questions)} questions, {run.set.searched} {unit or run.set.unit}"


def spread(scores: Sequence[float]) -> str:
    """Return the 95 % interval of the mean of the scores, `–` when there is none."""
    return "{:.3f} to {:.3f}".format(*interval(scores)) if scores else "–"
