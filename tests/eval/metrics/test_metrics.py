"""Hand arithmetic, and an independent implementation where it has the same metric."""

import math

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.metrics import rank

ONE = {"a": 1}
TWO = {"a": 1, "b": 1}
ALTERNATIVE = {"a": 2, "b": 1, "c": 1}
"""`a` is wanted; `b` and `c` do as well."""
TWO_WANTED = {"a": 2, "b": 2, "c": 1}


@pytest.mark.parametrize(
    ("ranking", "grades", "k", "expected"),
    [
        (["a", "x"], ONE, 1, 1.0),
        (["x", "a"], ONE, 1, 0.0),
        (["x", "a"], ONE, 2, 1.0),
        (["a", "x", "b"], TWO, 2, 0.5),
        (["a", "x", "b"], TWO, 3, 1.0),
        (["x", "c"], ALTERNATIVE, 2, 1.0),
        (["x", "c"], ALTERNATIVE, 1, 0.0),
        (["c", "a"], TWO_WANTED, 2, 0.5),
        ([], ONE, 5, 0.0),
    ],
)
def test_recall(ranking: list[str], grades: dict[str, int], k: int, expected: float) -> None:
    assert rank.recall(ranking, grades, k) == expected


def test_ndcg_by_hand() -> None:
    # Gold at ranks 2 and 3 of two gold documents: (1/log2 3 + 1/log2 4) / (1/log2 2 + 1/log2 3).
    expected = (1 / math.log2(3) + 1 / 2) / (1 + 1 / math.log2(3))
    assert rank.ndcg(["x", "a", "b"], TWO) == pytest.approx(expected)
    assert rank.ndcg(["a", "b"], TWO) == pytest.approx(1.0)
    assert rank.ndcg(["x"] * 10 + ["a"], ONE) == 0.0


names = st.text("abcdefghijklmnop", min_size=1, max_size=2)


@given(ranking=st.lists(names, unique=True, max_size=25), gold=st.sets(names, min_size=1, max_size=12))
def test_equals_ir_measures_where_every_gold_document_counts_the_same(ranking: list[str], gold: set[str]) -> None:
    qrels = {"q": dict.fromkeys(gold, 1)}
    run = {"q": {doc_id: float(-rank) for rank, doc_id in enumerate(ranking)}}
    wanted = [ir_measures.R @ 5, ir_measures.RR @ 10, ir_measures.nDCG @ 10]
    theirs = ir_measures.calc_aggregate(wanted, qrels, run)
    grades = qrels["q"]
    ours = [
        rank.recall(ranking, grades, 5),
        rank.mrr(ranking, grades),
        rank.ndcg(ranking, grades),
    ]
    assert ours == pytest.approx([theirs[measure] for measure in wanted])
