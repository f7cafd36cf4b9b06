from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from retrieval.filters import Filter
from retrieval.hit import Hit, as_json
from retrieval.search import MODES, Engine, Mode, SearchError, search
from retrieval.store.edge import EdgeStore
from tests.fakes import CharacterEmbedder, make_chunk

CHUNKS = [
    make_chunk("年假五天。", "leave", revision="r1", section=("休假", "年假"), page=2),
    make_chunk("病假需要证明。", "sick", revision="r2"),
    make_chunk("ERR_4032 表示余额不足。", "code", revision="r3", doc_type="pdf"),
]


class Reversed:
    model_id = "reversed"

    def rerank(self, question: str, hits: Sequence[Hit]) -> list[Hit]:
        return list(hits)[::-1]


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    embedder = CharacterEmbedder()
    store = EdgeStore.open(tmp_path / "store", embedder.dimension)
    store.upsert(CHUNKS, embedder.embed_passages([chunk.search_text for chunk in CHUNKS]))
    yield Engine(embedder, store)
    store.close()


def test_hybrid_finds_with_both_legs(engine: Engine) -> None:
    (best, *_) = search("年假几天", engine, Filter())
    assert best.chunk.chunk_id == "leave"
    assert set(best.legs) == {"vector", "keyword", "fused"}
    assert best.legs["keyword"].rank == 1


def test_reranker_orders_the_fused_candidates(engine: Engine) -> None:
    plain = search("年假", engine, Filter(), k=3)
    with_reranker = Engine(engine.embedder, engine.store, Reversed())
    reranked = search("年假", with_reranker, Filter(), k=3)
    assert [hit.chunk.chunk_id for hit in reranked] == [hit.chunk.chunk_id for hit in plain][::-1]
    kept = search("年假", with_reranker, Filter(), k=3, rerank=False)
    assert [hit.chunk.chunk_id for hit in kept] == [hit.chunk.chunk_id for hit in plain]


@pytest.mark.parametrize("mode", MODES)
def test_near_duplicates_take_no_places(tmp_path: Path, mode: Mode) -> None:
    same = [make_chunk(f"年假{'　' * n}12 天。", f"same{n:03}", source=f"{n:03}.md") for n in range(50)]
    others = [make_chunk("病假工资按八成计发，年假另计。", "sick"), make_chunk("年假不能折现，离职时另算。", "cash")]
    embedder = CharacterEmbedder()
    with closing(EdgeStore.open(tmp_path / "store", embedder.dimension)) as store:
        store.upsert([*same, *others], embedder.embed_passages([chunk.search_text for chunk in [*same, *others]]))
        engine = Engine(embedder, store, candidates=5)
        hits = search("年假 12 天", engine, Filter(), k=3, mode=mode)
    assert {hit.chunk.source for hit in hits} == {hits[0].chunk.source, "docs/a.md"}
    assert hits[0].chunk.text.replace("　", "") == "年假12 天。"
    assert {hit.chunk.chunk_id for hit in hits[1:]} == {"sick", "cash"}
    assert {hits[0].chunk.source, *hits[0].also_in} == {chunk.source for chunk in same}


@pytest.mark.parametrize(
    ("question", "k", "mode", "message"),
    [
        (" 　\n", 5, "hybrid", "the question is blank"),
        ("年假", 0, "hybrid", "k is 0; it must be 1 or more"),
        ("年假", 5, "magic", "unknown mode 'magic'; choose one of hybrid, vector, keyword"),
    ],
)
def test_a_search_that_cannot_run_says_why(engine: Engine, question: str, k: int, mode: str, message: str) -> None:
    with pytest.raises(SearchError, match=message):
        search(question, engine, Filter(), k=k, mode=mode)  # type: ignore[arg-type]


def test_as_json_has_every_leg(engine: Engine) -> None:
    (hit,) = search("年假几天", engine, Filter(), k=1)
    form = as_json(1, hit)
    places = ["rank", "score", "chunk_id", "doc_id", "source", "section", "page", "text"]
    assert list(form) == [*places, "also_in", "superseded_by", "answerability", "legs"]
    assert (form["also_in"], form["superseded_by"]) == ([], None)
    assert (form["section"], form["page"], form["text"]) == ("休假 > 年假", 2, "年假五天。")
    assert list(form["legs"]) == ["vector", "keyword", "fused", "rerank"]
    assert form["legs"]["rerank"] is None
    assert form["legs"]["keyword"]["rank"] == 1
