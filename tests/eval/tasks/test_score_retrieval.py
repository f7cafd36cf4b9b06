"""From a set to scores, with an embedder whose vectors can be worked out by hand."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from eval.sets.files import Passage, SetError
from eval.sets.index import indexed, passage_chunk
from eval.sets.load import load_set
from eval.tasks.retrieval import score_retrieval
from eval.tasks.stages import RERANKED, STAGES, WHOLE_CORPUS, Row, choose_rows, search_by_stages
from preprocessing.errors import FolioError
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


def test_a_passage_keeps_its_id_and_its_headings() -> None:
    chunk = passage_chunk(Passage("law:1", "劳动法", "第一章", "第一条"))
    assert (chunk.chunk_id, chunk.search_text) == ("law:1", "劳动法 > 第一章\n第一条")
    assert passage_chunk(Passage("p", "", "", "text")).search_text == "text"


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


@pytest.mark.parametrize(
    ("names", "reranks", "expected"),
    [
        ([], False, ["vector", "keyword", "hybrid"]),
        ([], True, ["vector", "keyword", "hybrid", "hybrid + rerank"]),
        (["rerank", "keyword"], True, ["keyword", "hybrid + rerank"]),
    ],
)
def test_rows_by_mode(names: list[str], reranks: bool, expected: list[str]) -> None:
    assert choose_rows(names, reranks=reranks) == expected


@pytest.mark.parametrize(
    ("name", "message"), [("bm25", "choose one of vector, keyword, hybrid, rerank"), ("rerank", "FOLIO_RERANK is none")]
)
def test_modes_that_cannot_be_scored(name: str, message: str) -> None:
    with pytest.raises(FolioError, match=message):
        choose_rows([name], reranks=False)
