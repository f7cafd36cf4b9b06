"""Plots of a run as PNG bytes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import pairwise
from statistics import fmean
from typing import TYPE_CHECKING

from eval.report import scores_of
from eval.runs import Run
from preprocessing.errors import FolioError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BINS = 8
"""Most points of the reliability plot."""
SMALLEST_BIN = 10
SIZE = (6.4, 3.6)
"""Inches, at 120 dots each."""


def plots(run: Run) -> Mapping[str, bytes]:
    """Return title → PNG for every plot that the run has figures for.

    Raises FolioError when matplotlib is not installed.
    """
    drawn: dict[str, bytes] = {}
    curves = {row: _recall_points(run, row) for row in run.rows}
    # The many settings of a sweep would be a tangle.
    if any(curves.values()) and run.command != "sweep":
        drawn["Recall over k"] = _png(_recall_figure(curves))
    points = [
        (
            question.scores[row]["similarity"],
            bool(question.scores[row]["refused"]),
            bool(question.scores[row]["unanswerable"]),
        )
        for question in run.questions
        for row in run.rows
        if "similarity" in question.scores.get(row, {})
    ]
    if points:
        drawn["Reliability of refusal"] = _png(_reliability_figure(reliability(points)))
    times = _times(run)
    if times:
        drawn["Latency by stage"] = _png(_latency_figure(times))
    return drawn


@dataclass(frozen=True, slots=True)
class Bin:
    """Questions whose nearest passage is about equally near."""

    questions: int
    similarity: float
    """Mean over the questions, as are the shares."""
    refused: float
    unanswerable: float


def reliability(points: Sequence[tuple[float, bool, bool]]) -> list[Bin]:
    """Return equally large bins of (similarity, was refused, cannot be answered), by rising similarity.

    Where refusal is reliable, both shares fall together.
    """
    ordered = sorted(points)
    count = max(1, min(BINS, len(ordered) // SMALLEST_BIN))
    edges = [round(len(ordered) * place / count) for place in range(count + 1)]
    parts = [ordered[start:end] for start, end in pairwise(edges)]
    return [Bin(len(part), *(fmean(point[column] for point in part) for column in range(3))) for part in parts]


def _recall_points(run: Run, row: str) -> list[tuple[int, float]]:
    names = {name for question in run.questions for name in question.scores.get(row, {}) if name.startswith("R@")}
    ks = sorted(int(name.removeprefix("R@")) for name in names)
    return [(k, fmean(scores_of(run.questions, row, f"R@{k}"))) for k in ks]


def _times(run: Run) -> dict[str, list[float]]:
    longest = max((question.milliseconds for question in run.questions), key=len, default={})
    stages = dict.fromkeys([*longest, *(stage for question in run.questions for stage in question.milliseconds)])
    return {
        stage: [question.milliseconds[stage] for question in run.questions if stage in question.milliseconds]
        for stage in stages
    }


def _recall_figure(curves: Mapping[str, Sequence[tuple[int, float]]]) -> "Figure":
    figure = _figure()
    axes = figure.subplots()
    for row, points in curves.items():
        axes.plot([k for k, _ in points], [score for _, score in points], marker="o", label=row)
    axes.set_xticks(sorted({k for points in curves.values() for k, _ in points}))
    axes.set(xlabel="k", ylabel="recall@k", ylim=(0, 1.02))
    axes.grid(alpha=0.3)
    axes.legend()
    return figure


def _reliability_figure(bins: Sequence[Bin]) -> "Figure":
    figure = _figure()
    axes = figure.subplots()
    similarities = [one.similarity for one in bins]
    axes.plot(similarities, [one.unanswerable for one in bins], marker="o", label="cannot be answered")
    axes.plot(similarities, [one.refused for one in bins], marker="s", label="refused")
    label = f"similarity of the nearest passage ({bins[0].questions} questions a point)"
    axes.set(xlabel=label, ylabel="share of questions", ylim=(-0.02, 1.02))
    axes.grid(alpha=0.3)
    axes.legend()
    return figure


def _latency_figure(times: Mapping[str, Sequence[float]]) -> "Figure":
    figure = _figure()
    axes = figure.subplots()
    axes.boxplot(list(times.values()), orientation="horizontal", whis=(5, 95), showfliers=False)
    axes.set_yticks(range(1, len(times) + 1), list(times))
    axes.set(xlabel="ms per query: median, quartiles, 5th and 95th percentile", xscale="log")
    axes.grid(axis="x", alpha=0.3)
    return figure


def _figure() -> "Figure":
    try:
        # Only the report draws; matplotlib comes with the extra.
        from matplotlib.figure import Figure
    except ImportError:
        raise FolioError("the report needs matplotlib, which is not installed; run: pip install matplotlib") from None
    return Figure(figsize=SIZE, dpi=120, layout="constrained")


def _png(figure: "Figure") -> bytes:
    buffer = BytesIO()
    figure.savefig(buffer, format="png")
    return buffer.getvalue()
