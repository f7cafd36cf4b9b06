"""The keyword leg: BM25 weights by hand and by `rank_bm25`, and the hits of every store."""

import math
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import qdrant_edge
from rank_bm25 import BM25Okapi

from retrieval.filters import Filter
from retrieval.store.edge import KEYWORD, EdgeStore
from retrieval.store.keywords import passage_weights, question_weights, token_index
from retrieval.store.payload import point_id, to_payload
from retrieval.store.store import Store
from retrieval.text.tokens import query_tokens, tokenize
from tests.fakes import make_chunk
from tests.retrieval.store.stores import STORES, named

ALL = Filter()
CHUNKS = [
    make_chunk("年假五天，须提前两周申请年假。", "leave", revision="r1"),
    make_chunk("病假需要医院证明。", "sick", revision="r1", doc_type="pdf"),
    make_chunk("ERR_4032 means the balance is too low.", "code", revision="r2"),
    make_chunk("董事会年假另计。", "board", revision="r3", metadata={"visible_to": ("board",)}),
    make_chunk("——…！", "marks", revision="r4"),
]
QUESTIONS = ["年假", "年假 年假 申请", "err_4032", "balance low", "病假证明 ERR_4032", "氦气", "的", "！？", ""]


@pytest.fixture(params=named(*STORES))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    with STORES[request.param](tmp_path, 2) as opened:
        opened.upsert(CHUNKS, np.ones((len(CHUNKS), 2), np.float32))
        yield opened


def test_a_token_has_one_index_for_ever() -> None:
    # As `printf 年假 | b2sum -l 32` has it.
    assert [token_index(token) for token in ("年假", "err_4032", "")] == [0x805010B2, 0x083852F8, 0x1271CF25]


def test_weights_by_hand() -> None:
    # Three tokens where the average is three: the norm is k1, and the weights are 2 * 2.5 / 3.5 and 1 * 2.5 / 2.5.
    chunk = make_chunk("alpha beta alpha")
    assert passage_weights(chunk, 3) == pytest.approx({token_index("alpha"): 10 / 7, token_index("beta"): 1.0})
    # Half the average: k1 * (0.25 + 0.75 * 0.5) = 0.9375.
    assert passage_weights(chunk, 6)[token_index("beta")] == pytest.approx(2.5 / 1.9375)
    assert question_weights("alpha the beta alpha") == {token_index("alpha"): 2.0, token_index("beta"): 1.0}


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_score_is_bm25_with_the_idf_of_the_server(store: Store, question: str) -> None:
    documents = {chunk.chunk_id: Counter(tokenize(chunk.search_text)) for chunk in CHUNKS}
    expected = {}
    for chunk_id, counts in documents.items():
        norm = 1.5 * (0.25 + 0.75 * counts.total() / 256)
        score = 0.0
        for token in query_tokens(question):
            holding = sum(token in others for others in documents.values())
            idf = math.log((len(documents) - holding + 0.5) / (holding + 0.5) + 1)
            score += idf * counts[token] * 2.5 / (counts[token] + norm)
        if score:
            expected[chunk_id] = pytest.approx(score, rel=1e-5)
    viewer = Filter(viewer=frozenset({"board"}))
    assert dict(store.search_keyword(question, 10, viewer)) == expected


@pytest.mark.parametrize(
    ("where", "found"),
    [
        (ALL, {"leave"}),
        (Filter(viewer=frozenset({"board"})), {"leave", "board", "sick"}),
        (Filter(equals={"doc_type": ("pdf",)}), {"sick"}),
        (Filter(exclude_revisions=frozenset({"r1"})), set()),
    ],
)
def test_a_filter_holds_inside_the_leg(store: Store, where: Filter, found: set[str]) -> None:
    assert {chunk_id for chunk_id, _ in store.search_keyword("年假", 1 if len(found) == 1 else 10, where)} == found


def test_weights_are_those_of_rank_bm25() -> None:
    texts = ["alpha beta alpha gamma", "beta delta", "epsilon zeta eta theta iota kappa"]
    oracle = BM25Okapi([list(tokenize(text)) for text in texts])
    for number, text in enumerate(texts):
        weights = passage_weights(make_chunk(text), oracle.avgdl)
        for token in set(tokenize(text)):
            expected = oracle.get_scores([token])[number] / oracle.idf[token] if oracle.idf[token] else None
            assert expected is None or weights[token_index(token)] == pytest.approx(expected)


def test_it_comes_and_goes_with_the_points(store: Store) -> None:
    assert store.count_keyword() == store.count() == 5
    store.delete_revision("r1")
    assert store.count_keyword() == 3
    assert store.search_keyword("须提前两周", 10, ALL) == []
    changed = make_chunk("加班须批准。", "code", revision="r2")
    store.upsert([changed], np.ones((1, 2), np.float32))
    assert store.search_keyword("err_4032", 10, ALL) == []
    assert [chunk_id for chunk_id, _ in store.search_keyword("加班", 10, ALL)] == ["code"]


def test_what_is_removed_no_longer_weighs(tmp_path: Path) -> None:
    with closing(EdgeStore.open(tmp_path / "store", 2)) as edge:
        others = [make_chunk(f"其他内容{n}", f"o{n}", revision="rest") for n in range(20)]
        edge.upsert([make_chunk("年假", "kept", revision="r0"), *others], np.ones((21, 2), np.float32))
        (before,) = edge.search_keyword("年假", 1, ALL)
        for n in range(10):
            edge.upsert([make_chunk("年假", f"old{n}", revision=f"r{n + 1}")], np.ones((1, 2), np.float32))
            edge.delete_revision(f"r{n + 1}")
        ((name, score),) = edge.search_keyword("年假", 1, ALL)
    assert (name, score) == ("kept", pytest.approx(before[1], rel=0.2))


@pytest.mark.parametrize("done", [0, 1])
def test_a_store_without_keywords_gets_them_when_it_is_opened(tmp_path: Path, done: int) -> None:
    """Such as one that was made before, also when the first try was interrupted."""
    chunks = [make_chunk("年假五天。", "a"), make_chunk("病假需要证明。", "b")]
    shard = tmp_path / "store" / "shard"
    shard.mkdir(parents=True)
    config = qdrant_edge.EdgeConfig(vectors=qdrant_edge.EdgeVectorParams(size=2, distance=qdrant_edge.Distance.Cosine))
    old = qdrant_edge.EdgeShard.create(str(shard), config)
    points = [qdrant_edge.Point(point_id(one.chunk_id), [1.0, 0.0], to_payload(one)) for one in chunks]
    old.update(qdrant_edge.UpdateOperation.upsert_points(points))
    if done:
        old.update(qdrant_edge.UpdateOperation.create_sparse_vector(KEYWORD, modifier=qdrant_edge.Modifier.Idf))
        weights = passage_weights(chunks[0])
        vector = {KEYWORD: qdrant_edge.SparseVector(list(weights), list(weights.values()))}
        old.update(qdrant_edge.UpdateOperation.update_vectors([qdrant_edge.PointVectors(points[0].id, vector)]))
    old.flush()
    old.close()
    with closing(EdgeStore.open(tmp_path / "store", 2)) as store:
        assert store.count_keyword() == 2
        assert next(chunk_id for chunk_id, _ in store.search_keyword("年假", 5, ALL)) == "a"
        assert [chunk_id for chunk_id, _ in store.search_keyword("证明", 5, ALL)] == ["b"]
