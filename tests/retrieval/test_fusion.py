import pytest

from retrieval.fusion import fuse, keyword_share, votes
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


WEIGHTS = {"vector": 1.0, "keyword": 0.8}


def hits(*texts: str) -> list[Hit]:
    return [Hit(make_chunk(text, f"c{number}"), 1.0) for number, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("question", "best", "share"),
    [
        # Of four stems (hotel, limit, shanghai, 2024) one is shared: a quarter, and half is enough.
        ("hotel limit Shanghai 2024", "上海住宿 2024 年标准", 0.5),
        ("hotel limit Shanghai 2024", "The hotel limits of 2023", 1.0),
        # 报销 and its two characters of 报销 and 审批 with theirs: three of six.
        ("报销审批", "报销单据", 1.0),
        ("年假", "办公用品领用", 0.0),
        # A code is enough, however little else is shared.
        ("what does error code a0427 mean for a client that retries", "| A0427 | 余额不足 |", 1.0),
        ("第四十六条规定了什么补偿", "第46条 有下列情形之一的", 1.0),
        ("ＥＲＲ＿４０３２ 是什么原因引起的呢", "ERR_4032: 令牌过期", 1.0),
    ],
)
def test_the_share_of_the_question_in_the_best_hit(question: str, best: str, share: float) -> None:
    assert keyword_share(question, hits(best, question)) == pytest.approx(share)


def test_without_hits_there_is_nothing_to_say() -> None:
    assert keyword_share("年假", []) == 0.0


def test_the_share_lowers_the_weight_of_the_keyword_leg_only() -> None:
    legs = {"vector": hits("上海住宿"), "keyword": hits("上海住宿 2024 年标准")}
    assert votes("hotel limit Shanghai 2024", legs, WEIGHTS) == {"vector": 1.0, "keyword": 0.4}


def test_a_leg_alone_keeps_its_weight() -> None:
    assert votes("hotel limit", {"keyword": hits("酒店")}, WEIGHTS) == {"keyword": 0.8}
