"""Learning is checked against its own condition, measuring by hand, and both on a set that a test can read."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from eval.answerability import area, learn, searched
from eval.sets import load_set
from retrieval.settings import RetrievalSettings


def test_area_is_the_share_of_pairs_in_order() -> None:
    assert area([0.9, 0.4], [0.5, 0.4]) == pytest.approx((1 + 1 + 0 + 0.5) / 4)


def test_where_learning_ends_the_slope_is_zero() -> None:
    generator = np.random.default_rng(3)
    positive, negative = generator.normal(0.6, 0.3, (40, 4)), generator.normal(0.3, 0.3, (25, 4))
    weights, bias = learn(positive, negative)

    def loss(point: np.ndarray) -> float:
        there, without = (1 / (1 + np.exp(-(rows @ point[:4] + point[4]))) for rows in (positive, negative))
        balanced = -0.5 * np.log(there).mean() - 0.5 * np.log(1 - without).mean()
        return float(balanced + 0.5e-3 * (point[:4] ** 2).sum())

    end = np.r_[weights, bias]
    for axis in np.eye(5):
        assert (loss(end + 1e-4 * axis) - loss(end - 1e-4 * axis)) / 2e-4 == pytest.approx(0.0, abs=1e-6)
    assert loss(end) < loss(np.zeros(5))


def test_each_question_is_asked_with_and_without_its_answer(
    make_set: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    passages = [
        {"doc_id": "a", "title": "", "section": "", "text": "上海住宿标准为 600 元。"},
        {"doc_id": "b", "title": "", "section": "", "text": "年假每年十天。"},
        {"doc_id": "c", "title": "", "section": "", "text": "The canteen opens at noon."},
    ]
    queries = [
        {"query_id": "q1", "query": "上海住宿标准是多少？", "answers": ["600 元"]},
        {"query_id": "q2", "query": "食堂卖咖啡吗？", "answers": [], "answerable": False},
    ]
    monkeypatch.setenv("FOLIO_RERANK", "token")
    folder = make_set(passages=passages, queries=queries, qrels=[("q1", "a", 1)])
    there, without, never = searched(load_set(folder), RetrievalSettings(home=tmp_path))
    assert there.shape == without.shape == never.shape == (1, 4)
    # All of its words stand in the right passage, and hardly any in the others.
    assert there[0][2] == 1.0
    assert without[0][2] < 0.5
    assert there[0][0] > without[0][0]
