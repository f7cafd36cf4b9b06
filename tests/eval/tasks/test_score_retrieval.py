"""From a set to scores, with an embedder whose vectors can be worked out by hand."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from eval.sets.files import SetError
from eval.sets.index import indexed
from eval.sets.load import load_set
from eval.tasks.retrieval import score_retrieval
from eval.tasks.stages import RERANKED, STAGES, WHOLE_CORPUS, Row, search_by_stages
from retrieval.hit import Hit
from retrieval.search import MODES, search
from retrieval.settings import RetrievalSettings
from tests.fakes import CharacterEmbedder

Make = Callable[..., Path]
SETTINGS = RetrievalSettings()
ROWS: list[Row] = ["vector", "keyword", "hybrid"]


class LastFirst:
    """Reranks by turning the order round."""

    model_id = "last first"

    def rerank(self, question: str, hits: Sequence[Hit]) -> list[Hit]:
        return list(reversed(hits))


def test_every_row_ranks_as_search_does(make_set: Make) -> None:
    eval_set = load_set(make_set())
    with indexed(eval_set, SETTINGS, CharacterEmbedder(), LastFirst()) as engine:
        for query in eval_set.queries:
            done = search_by_stages(query.text, engine)
            for mode in MODES:
                expected = search(query.text, engine, WHOLE_CORPUS, k=20, mode=mode, rerank=False)
                assert [hit.chunk for hit in done.rankings[mode]] == [hit.chunk for hit in expected]
            expected = search(query.text, engine, WHOLE_CORPUS, k=20)
            assert [hit.chunk for hit in done.rankings[RERANKED]] == [hit.chunk for hit in expected]
            assert list(done.milliseconds) == list(STAGES[RERANKED])


def test_scores_of_passages(make_set: Make) -> None:
    eval_set = load_set(make_set())
    with indexed(eval_set, SETTINGS, CharacterEmbedder()) as engine:
        first, second = score_retrieval(eval_set, engine, ROWS, eval_set.scored)
    assert (first.query_id, first.kind) == ("q1", "natural")
    # `travel` alone shares 每晚 and 住宿 with the question; `meals` is an alternative.
    assert first.rankings["keyword"][0] == "travel"
    assert (first.scores["keyword"]["R@1"], first.scores["keyword"]["MRR@10"]) == (1.0, 1.0)
    assert second.rankings["keyword"] == ["leave"]
    assert second.scores["keyword"]["nDCG@10"] == 1.0
    assert first.scores.keys() == set(ROWS)
    assert first.milliseconds.keys() == {"embed", "vector", "keyword", "fuse"}


def test_scores_of_whole_documents(make_set: Make, docs: dict[str, str]) -> None:
    eval_set = load_set(make_set(passages=None, qrels=None, docs=docs))
    with indexed(eval_set, SETTINGS, CharacterEmbedder()) as engine:
        assert engine.store.count() == 3
        scores = list(score_retrieval(eval_set, engine, ["keyword"], eval_set.scored))
    assert [score.scores["keyword"]["R@1"] for score in scores] == [1.0, 1.0]


def test_a_document_that_cannot_be_read_stops_the_evaluation(make_set: Make, docs: dict[str, str]) -> None:
    eval_set = load_set(make_set(passages=None, qrels=None, docs={**docs, "empty.md": ""}))
    with (
        pytest.raises(SetError, match=r"empty\.md: cannot be ingested: "),
        indexed(eval_set, SETTINGS, CharacterEmbedder()),
    ):
        pass
