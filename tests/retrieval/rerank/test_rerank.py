"""Reranking gives an order, keeps every hit, and survives what models do wrong."""

import json
import logging
from collections.abc import Sequence

import pytest

from preprocessing.document import Chunk
from retrieval.hit import Hit, LegScore
from retrieval.rerank.cross_encoder import CrossEncoderReranker, Pair


def hits_of(*texts: str) -> list[Hit]:
    """Return fused hits with these texts, in this order."""
    return [
        Hit(
            Chunk(f"c{rank}", "d", "r", rank, text, ("休假",), None, "a.md", "制度", "md"),
            1 / (60 + rank),
            {"fused": LegScore(rank, 1 / (60 + rank))},
        )
        for rank, text in enumerate(texts, start=1)
    ]


class FakeScorer:
    """Gives each passage the number that stands in it, and fails for batches above a size."""

    def __init__(self, largest: int = 1000, error: str = "CUDA out of memory") -> None:
        self.largest, self.error = largest, error
        self.batches: list[list[Pair]] = []
        self.freed = 0

    def fit(self, question: str, passage: str) -> list[Pair]:
        return [(question, part) for part in passage.split("|")]

    def score(self, pairs: Sequence[Pair]) -> Sequence[float]:
        self.batches.append(list(pairs))
        if len(pairs) > self.largest:
            raise RuntimeError(self.error)
        return [float(passage.split()[-1]) for _, passage in pairs]

    def free_memory(self) -> None:
        self.freed += 1


def order(hits: list[Hit]) -> list[str]:
    return [hit.chunk.chunk_id for hit in hits]


@pytest.mark.parametrize(
    ("texts", "expected", "scores"),
    [
        (["-1.9", "6.8", "-7.2"], ["c2", "c1", "c3"], [6.8, -1.9, -7.2]),
        (["3", "0", "-5"], ["c1", "c2", "c3"], [3, 0, -5]),
        (["1", "2", "2", "1"], ["c2", "c3", "c1", "c4"], [2, 2, 1, 1]),
        (["nan", "1.2", "0.4"], ["c2", "c3", "c1"], [1.2, 0.4, 0.4]),
        (["-inf", "1.2", "inf"], ["c2", "c1", "c3"], [1.2, 1.2, 1.2]),
        (["", "5", "  \u3000\n"], ["c2", "c1", "c3"], [5, 5, 5]),
        (["1", "0 | 9 | 2", "8"], ["c2", "c3", "c1"], [9, 8, 1]),
        (["nan | 4", "5"], ["c2", "c1"], [5, 4]),
    ],
)
def test_the_order_follows_the_scores(texts: list[str], expected: list[str], scores: list[float]) -> None:
    found = CrossEncoderReranker("fake", FakeScorer()).rerank("年假", hits_of(*texts))
    assert order(found) == expected
    assert [hit.score for hit in found] == scores
    assert [hit.legs["rerank"] for hit in found] == [LegScore(i, score) for i, score in enumerate(scores, start=1)]
    json.dumps(scores, allow_nan=False)


def test_only_nan_keeps_the_fused_order(caplog: pytest.LogCaptureFixture) -> None:
    hits = hits_of("nan", "nan")
    assert CrossEncoderReranker("fake", FakeScorer()).rerank("年假", hits) == hits
    assert [record.levelno for record in caplog.records] == [logging.WARNING]


@pytest.mark.parametrize(
    "error",
    ["CUDA out of memory. Tried to allocate 2 GiB", "MPS backend out of memory", "can't allocate memory: 9 bytes"],
)
def test_memory_that_runs_out_halves_the_batch(error: str) -> None:
    scorer = FakeScorer(largest=5, error=error)
    found = CrossEncoderReranker("fake", scorer).rerank("年假", hits_of(*map(str, range(20))))
    assert order(found) == [f"c{i}" for i in range(20, 0, -1)]
    assert [len(batch) for batch in scorer.batches] == [16, 8, 4, 4, 4, 4, 4]
    assert scorer.freed == 2
