"""Plots of a run as PNG bytes."""

from collections.abc import Mapping, Sequence
from io import BytesIO
from statistics import fmean
from typing import TYPE_CHECKING

from eval.report import scores_of
from eval.runs import Run
from preprocessing.errors import FolioError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZE = (6.4, 3.6)
"""Inches, at 120 dots each."""


def plots(run: Run) -> Mapping[str, bytes]:
    """Return title → PNG for every plot that the run has figures for.

    Raises FolioError when matplotlib is not installed.
    """
    drawn: dict[str, bytes] = {}
    curves = {row: _recall_points(run, row) for row in run.rows}
    if any(curves.values()):
        drawn["Recall over k"] = _png(_recall_figure(curves))
    times = _times(run)
    if times:
        drawn["Latency by stage"] = _png(_latency_figure(times))
    return drawn


def _recall_points(run: Run, row: str) -> list[tuple[int, float]]:
    names = {name for question in run.questions for name in question.scores.get(row, {}) if name.startswith("R@")}
    ks = sorted(int(name.removeprefix("R@")) for name in names)
    return [(k, fmean(scores_of(run.questions, row, f"R@{k}"))) for k in ks]


def _times(run: Run) -> dict[str, list[float]]:
    stages = dict.fromkeys(stage for question in run.questions for stage in question.milliseconds)
    return {stage: [question.milliseconds[stage] for question in run.questions] for stage in stages}


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
