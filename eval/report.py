"""Runs as tables for people."""

from collections.abc import Sequence
from statistics import fmean

from rich.cells import cell_len

from eval.runs import QuestionScore, Run
from eval.score_retrieval import COLUMNS
from eval.stages import STAGES

Cell = str | float


def retrieval_table(run: Run) -> str:
    """Return the ablation table of a run: one line a row, the mean of each metric, and the time of a question."""
    lines = [
        [row, *(mean_score(run.questions, row, metric) for metric in COLUMNS), f"{mean_milliseconds(run, row):.1f}"]
        for row in run.rows
    ]
    title = (
        f"{run.set.name}/{run.set.split}: {len(run.questions)} questions, {run.set.searched} {run.set.unit}, "
        f"embedding model {run.settings['embed_model']}"
    )
    return f"{title}\n\n{markdown_table(['', *COLUMNS, 'ms per query'], lines)}"


def mean_score(questions: Sequence[QuestionScore], row: str, metric: str) -> float | str:
    """Return the mean over the questions that the metric applies to, `–` when there is none."""
    scores = [question.scores[row][metric] for question in questions if metric in question.scores[row]]
    return fmean(scores) if scores else "–"


def mean_milliseconds(run: Run, row: str) -> float:
    """Return the mean time of a question in the stages of the row."""
    stages = next(stages for name, stages in STAGES.items() if name == row)
    return fmean(sum(question.milliseconds[stage] for stage in stages) for question in run.questions)


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
