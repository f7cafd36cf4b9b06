import pytest

from retrieval.fusion import fuse
from retrieval.hit import Hit, LegScore
from tests.fakes import make_chunk


def ranked(leg: str, *chunk_ids: str) -> list[Hit]:
    return [Hit(make_chunk("", c), 1 / n, {leg: LegScore(n, 1 / n)}) for n, c in enumerate(chunk_ids, 1)]  # type: ignore[dict-item]


def test_rrf_is_the_weighted_sum_of_reciprocal_ranks() -> None:
    hits = fuse(
        {"vector": ranked("vector", "a", "b"), "keyword": ranked("keyword", "c", "b", "a")},
        {"vector": 1.0, "keyword": 0.5},
        k=60,
    )
    scores = {hit.chunk.chunk_id: hit.score for hit in hits}
    assert scores["a"] == pytest.approx(1 / (60 + 1) + 0.5 / (60 + 3))
    assert scores["b"] == pytest.approx(1 / (60 + 2) + 0.5 / (60 + 2))
    assert scores["c"] == pytest.approx(0.5 / (60 + 1))
    assert [hit.chunk.chunk_id for hit in hits] == ["a", "b", "c"]


def test_ranks_and_scores_of_each_leg_stay_on_the_hit() -> None:
    vector = ranked("vector", "a")
    (hit,) = fuse({"vector": vector, "keyword": ranked("keyword", "a")}, {"vector": 1.0, "keyword": 1.0})
    assert hit.legs == {"vector": LegScore(1, 1.0), "keyword": LegScore(1, 1.0), "fused": LegScore(1, 2 / 61)}
    assert vector[0].legs == {"vector": LegScore(1, 1.0)}


def test_a_leg_that_found_nothing_does_not_vote() -> None:
    hits = fuse({"vector": ranked("vector", "b", "a"), "keyword": []}, {"vector": 1.0, "keyword": 1.0})
    assert [hit.chunk.chunk_id for hit in hits] == ["b", "a"]
