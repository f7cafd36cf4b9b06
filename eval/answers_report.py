"""An answers run as text."""

from collections.abc import Sequence

import numpy as np

from eval.answer_metrics import refusal_scores
from eval.answer_trace import STAGES
from eval.bootstrap import interval
from eval.report import Cell, markdown_table, mean_score, scores_of
from eval.runs import QuestionScore, Run
from eval.score_answers import ROW

QUALITY = ("contains answer", "token F1", "citation precision", "citation recall", "rewrite F1", "judge")
OPTIONAL = ("rewrite F1", "judge")
"""Left out where no question has the score."""
COST = ("LLM calls", "tool calls", "tokens")


def answers_table(run: Run) -> str:
    """Return quality, refusal, cost, and quality by type of question."""
    title = (
        f"{run.set.name}/{run.set.split}: {len(run.questions)} questions, {run.set.searched} {run.set.unit}, "
        f"chat model {run.settings['chat_model']}, embedding model {run.settings['embed_model']}"
    )
    judge = [f"judged by {run.settings['judge']}"] if run.settings.get("judge") else []
    return "\n\n".join(
        [", ".join([title, *judge]), _quality(run), _refusal(run.questions), _cost(run), _stages(run), _types(run)]
    )


def _quality(run: Run) -> str:
    lines: list[list[Cell]] = []
    for metric in QUALITY:
        scores = scores_of(run.questions, ROW, metric)
        if not scores and metric in OPTIONAL:
            continue
        spread = "{:.3f} to {:.3f}".format(*interval(scores)) if scores else "–"
        lines.append([metric, str(len(scores)), mean_score(run.questions, ROW, metric), spread])
    return markdown_table(["answers", "n", "mean", "95 % interval"], lines)


def _refusal(questions: Sequence[QuestionScore]) -> str:
    found = refusal_scores(
        (bool(question.scores[ROW]["unanswerable"]), bool(question.scores[ROW]["refused"])) for question in questions
    )
    line: list[Cell] = ["", *("–" if value is None else value for value in (found.precision, found.recall, found.f1))]
    return markdown_table(["refusal", "precision", "recall", "F1"], [line])


def _cost(run: Run) -> str:
    figures = [*(f"{np.mean(scores_of(run.questions, ROW, name)):.1f}" for name in COST)]
    return markdown_table(["cost of a question", *COST], [["", *figures]])


def _stages(run: Run) -> str:
    """Return milliseconds by stage over the questions that went through it."""
    stages = dict.fromkeys(stage for question in run.questions for stage in question.milliseconds)
    lines: list[list[Cell]] = []
    for stage in sorted(stages, key=STAGES.index):
        times = [question.milliseconds[stage] for question in run.questions if stage in question.milliseconds]
        lines.append([stage, str(len(times)), *(f"{time:.0f}" for time in np.percentile(times, [50, 95]))])
    return markdown_table(["ms per question", "n", "p50", "p95"], lines)


def _types(run: Run) -> str:
    lines: list[list[Cell]] = []
    for kind in sorted({question.kind for question in run.questions}):
        some = [question for question in run.questions if question.kind == kind]
        means = [mean_score(some, ROW, metric) for metric in ("contains answer", "citation recall", "refused")]
        lines.append([kind or "(no type)", str(len(some)), *means])
    return markdown_table(["type", "n", "contains answer", "citation recall", "refused"], lines)
