"""Two runs of the same questions, question by question: what got better, what got worse, and whether it is chance."""

from dataclasses import dataclass

from eval.bootstrap import Difference, paired_difference
from eval.jsonl import SetError
from eval.runs import QuestionScore, Run


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


def check_same_task(before: Run, after: Run) -> None:
    """Raise SetError when two runs cannot be compared question by question."""
    if before.command != after.command:
        raise SetError(
            f"one run is of `eval {before.command}` and the other of `eval {after.command}`; compare like with like"
        )
    one, other = before.set, after.set
    if (one.name, one.split, one.unit) != (other.name, other.split, other.unit):
        raise SetError(
            f"one run is on the {one.unit} of {one.name}/{one.split} and the other on the {other.unit} of "
            f"{other.name}/{other.split}; compare runs on one set"
        )
    if one.digest != other.digest:
        raise SetError(f"the files of {one.name}/{one.split} changed between the runs; run the first one again")


def _scores(run: Run, row: str, metric: str) -> dict[str, float]:
    if row not in run.rows:
        raise SetError(f"the run of {run.created_at} has no row {row!r}; it has {', '.join(run.rows)}")
    return {
        question.query_id: question.scores[row][metric]
        for question in run.questions
        if metric in question.scores.get(row, {})
    }
