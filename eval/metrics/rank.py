"""Rank metrics of one question, as pure functions.

`ranking` is document ids, best first; `grades` maps the gold documents to their relevance. Documents of the highest
grade are the ones wanted; where one document is wanted, those below it are alternatives that do as well. Every function
returns None where it does not apply: a question without gold has no score, not the score 0.
"""

import math
from collections.abc import Mapping, Sequence

Grades = Mapping[str, int]


def recall(ranking: Sequence[str], grades: Grades, k: int) -> float | None:
    """Return the share of the wanted documents among the first k; 1 when an alternative is there."""
    if not grades:
        return None
    wanted, found = _wanted(grades), set(ranking[:k])
    return 1.0 if _alternative_found(found, wanted, grades) else len(found & wanted) / len(wanted)


def mrr(ranking: Sequence[str], grades: Grades, k: int = 10) -> float | None:
    """Return 1 / rank of the first gold document among the first k, 0 when there is none."""
    if not grades:
        return None
    return next((1 / rank for rank, doc_id in enumerate(ranking[:k], start=1) if doc_id in grades), 0.0)


def ndcg(ranking: Sequence[str], grades: Grades, k: int = 10) -> float | None:
    """Return the normalised discounted cumulative gain at k, each gold document with gain 1.

    Järvelin and Kekäläinen: Cumulated gain-based evaluation of IR techniques, TOIS 2002, with the discount
    log2(rank + 1). Grades are not gains here, because an alternative is as good as the document it stands for.
    """
    if not grades:
        return None
    gain = sum(_discount(rank) for rank, doc_id in enumerate(ranking[:k], start=1) if doc_id in grades)
    return gain / sum(_discount(rank) for rank in range(1, min(k, len(grades)) + 1))


def _discount(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def _wanted(grades: Grades) -> set[str]:
    highest = max(grades.values())
    return {doc_id for doc_id, grade in grades.items() if grade == highest}


def _alternative_found(found: set[str], wanted: set[str], grades: Grades) -> bool:
    return len(wanted) == 1 and bool(found & (grades.keys() - wanted))
