"""A comparison as text."""

from collections.abc import Sequence

from eval.compare import Change, Comparison
from eval.report import Cell, markdown_table

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
