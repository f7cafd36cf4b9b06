"""One question through every stage of retrieval, each timed, with the ranking that each row of the table shows."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from retrieval.filters import Filter
from retrieval.fusion import fuse, votes
from retrieval.hit import Hit, Leg
from retrieval.search import Engine, with_text

Row = Literal["vector", "keyword", "hybrid", "hybrid + rerank"]
Stage = Literal["embed", "vector", "keyword", "fuse", "rerank"]

STAGES: Mapping[Row, tuple[Stage, ...]] = {
    "vector": ("embed", "vector"),
    "keyword": ("keyword",),
    "hybrid": ("embed", "vector", "keyword", "fuse"),
    "hybrid + rerank": ("embed", "vector", "keyword", "fuse", "rerank"),
}
"""What each row spends its time on."""

RERANKED: Row = "hybrid + rerank"
WHOLE_CORPUS = Filter()


@dataclass(slots=True)
class StagedSearch:
    """Rankings by row, and milliseconds by stage."""

    rankings: dict[Row, list[Hit]] = field(default_factory=dict)
    milliseconds: dict[Stage, float] = field(default_factory=dict)


def search_by_stages(question: str, engine: Engine) -> StagedSearch:
    """Return what `retrieval.search.search` gives in each mode, running every stage once.

    Near duplicates are not merged: gold is a passage by its id, and its double would stand for it.
    Each ranking is as long as the engine's candidates; the reranked one is there when the engine has a reranker.
    """
    done, candidates = StagedSearch(), engine.candidates
    with _timed(done, "embed"):
        vector = engine.embedder.embed_query(question)
    with _timed(done, "vector"):
        by_vector = engine.store.search(vector, candidates, WHOLE_CORPUS)
    with _timed(done, "keyword"):
        by_keyword = with_text(engine.store.search_keyword(question, candidates, WHOLE_CORPUS), engine.store)
    with _timed(done, "fuse"):
        legs: dict[Leg, list[Hit]] = {"vector": by_vector, "keyword": by_keyword}
        fused = fuse(legs, votes(question, legs, engine.weights), engine.rrf_k)[:candidates]
    done.rankings = {"vector": by_vector, "keyword": by_keyword, "hybrid": fused}
    if engine.reranker is not None:
        with _timed(done, "rerank"):
            done.rankings["hybrid + rerank"] = engine.reranker.rerank(question, fused)
    return done


@contextmanager
def _timed(done: StagedSearch, stage: Stage) -> Iterator[None]:
    started = time.perf_counter()
    yield
    done.milliseconds[stage] = (time.perf_counter() - started) * 1000
