"""Runs as tables for people."""

from collections.abc import Sequence
from statistics import fmean

import numpy as np
from rich.cells import cell_len

from eval.bootstrap import interval, paired_difference
from eval.chunkings import STOCK
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
        f"embedding model {run.settings['embed_model']}{_rewriting(run)}"
    )
    return f"{title}\n\n{markdown_table(['', *COLUMNS, 'ms per query'], lines)}"


def _rewriting(run: Run) -> str:
    how = run.settings.get("rewrite", "none")
    scores = scores_of(run.questions, run.rows[0], "rewrite F1")
    if how == "none":
        return ""
    return f", follow-ups rewritten: {how}" + (f" (token F1 {fmean(scores):.3f}, n = {len(scores)})" if scores else "")


def chunking_table(run: Run) -> str:
    """Return the table of a chunking run: quality at equal budget, then what the chunks are and cost."""
    lines: list[list[Cell]] = []
    for row in run.rows:
        figures = run.statistics[row]
        lines.append(
            [
                row,
                mean_score(run.questions, row, "hit"),
                mean_score(run.questions, row, "complete"),
                *(f"{figures[name]:,.0f}" for name in ("chunks", "mean chars", "max chars")),
                f"{figures['seconds']:.1f}",
                f"{figures['encoded/char']:.2f}",
            ]
        )
    title = (
        f"{run.set.name}/{run.set.split}: {len(run.questions)} questions, {run.set.searched} documents, "
        f"{run.settings['budget']:,} characters handed on, embedding model {run.settings['embed_model']}"
    )
    header = ["", "hit rate", "complete", "chunks", "mean chars", "max chars", "seconds", "encoded/char"]
    return f"{title}\n\n{markdown_table(header, lines)}\n\n{_chunking_intervals(run)}"


def _chunking_intervals(run: Run) -> str:
    """Return the bootstrap intervals of each row, and of its difference from the strongest of the stock rows."""
    stock = max((row for row in run.rows if row in STOCK), key=lambda row: fmean(scores_of(run.questions, row, "hit")))
    lines: list[list[Cell]] = []
    for row in run.rows:
        cells: list[Cell] = [row]
        for metric in ("hit", "complete"):
            scores = scores_of(run.questions, row, metric)
            if not scores:
                cells += ["–", "–"]
                continue
            change = paired_difference(scores_of(run.questions, stock, metric), scores)
            cells.append("{:.3f} to {:.3f}".format(*interval(scores)))
            cells.append(f"{change.low:+.3f} to {change.high:+.3f}" if row != stock else "")
        lines.append(cells)
    header = ["95 % interval", "hit rate", f"less {stock}", "complete", f"less {stock}"]
    return markdown_table(header, lines)


def sweep_table(run: Run) -> str:
    """Return the best settings of a sweep on one of its sets."""
    metric = run.settings["metric"]
    means = sorted(((fmean(scores_of(run.questions, row, metric)), row) for row in run.rows), reverse=True)
    title = f"{run.set.name}/{run.set.split}: {len(run.questions)} questions, the best of {len(run.rows)} settings"
    return f"{title}\n\n{markdown_table(['', metric], [[row, mean] for mean, row in means[:10]])}"


def details(run: Run) -> str:
    """Return what stands behind the table: 95 % intervals, question types, and the time of each stage."""
    return "\n\n".join([interval_table(run), type_table(run), stage_table(run)])


def interval_table(run: Run) -> str:
    """Return the bootstrap interval of each mean, one line a row."""
    lines: list[list[Cell]] = []
    for row in run.rows:
        scores = [scores_of(run.questions, row, metric) for metric in COLUMNS]
        lines.append([row, *("{:.3f} to {:.3f}".format(*interval(some)) if some else "–" for some in scores)])
    return markdown_table(["95 % interval", *COLUMNS], lines)


def type_table(run: Run) -> str:
    """Return R@5 and MRR@10 of each row by type of question."""
    metrics = ("R@5", "MRR@10")
    lines: list[list[Cell]] = []
    for kind in sorted({question.kind for question in run.questions}):
        some = [question for question in run.questions if question.kind == kind]
        scores = [mean_score(some, row, metric) for metric in metrics for row in run.rows]
        lines.append([kind or "(no type)", str(len(some)), *scores])
    return markdown_table(["type", "n", *(f"{row} {metric}" for metric in metrics for row in run.rows)], lines)


def stage_table(run: Run) -> str:
    """Return milliseconds a question by stage: mean, median and 95th percentile."""
    stages = list(dict.fromkeys(stage for question in run.questions for stage in question.milliseconds))
    lines: list[list[Cell]] = []
    for stage in stages:
        times = [question.milliseconds[stage] for question in run.questions]
        lines.append([stage, *(f"{time:.1f}" for time in (fmean(times), *np.percentile(times, [50, 95])))])
    return markdown_table(["ms per query", "mean", "p50", "p95"], lines)


def scores_of(questions: Sequence[QuestionScore], row: str, metric: str) -> list[float]:
    """Return the scores of the questions that the metric applies to."""
    return [question.scores[row][metric] for question in questions if metric in question.scores[row]]


def mean_score(questions: Sequence[QuestionScore], row: str, metric: str) -> float | str:
    """Return the mean over the questions that the metric applies to, `–` when there is none."""
    scores = scores_of(questions, row, metric)
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
