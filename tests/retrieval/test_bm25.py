from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from retrieval.bm25 import BM25, StaleIndexError
from retrieval.filters import Filter
from retrieval.tokens import tokenize
from tests.fakes import make_chunk

ALL = Filter()
WORDS = ["alpha", "beta", "gamma", "delta", "ERR_4032", "年假", "报销", "住宿"]
texts = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join), min_size=1, max_size=12)


def index_of(*passages: str) -> BM25:
    return BM25.build(make_chunk(text, f"c{n}", revision=f"r{n}") for n, text in enumerate(passages))


@given(texts, st.lists(st.sampled_from(WORDS), min_size=1, max_size=5))
def test_scores_equal_rank_bm25(passages: list[str], words: list[str]) -> None:
    tokens = tokenize(" ".join(words))
    expected = BM25Okapi([tokenize(text) for text in passages]).get_scores(tokens)
    assert list(index_of(*passages).scores(tokens).values()) == pytest.approx(list(expected), abs=1e-9)


@given(texts, texts, st.lists(st.sampled_from(WORDS), min_size=1, max_size=5))
def test_adding_and_removing_leaves_the_scores_of_a_fresh_index(
    stay: list[str], go: list[str], words: list[str]
) -> None:
    index = BM25()
    index.add([make_chunk(text, f"gone{n}", revision="old") for n, text in enumerate(go)])
    index.add([make_chunk(text, f"c{n}", revision=f"r{n}") for n, text in enumerate(stay)])
    index.remove_revision("old")
    tokens = tokenize(" ".join(words))
    assert index.scores(tokens) == pytest.approx(index_of(*stay).scores(tokens), abs=1e-9)


def test_a_hit_shares_a_token_with_the_question() -> None:
    index = index_of("食堂开放时间 11:30 到 13:00。", "班车七点半发车。", "番茄汤的做法见附录。")
    assert index.search("氦气回收阈值", 5, ALL) == []
    assert [chunk_id for chunk_id, _ in index.search("班车几点发车", 5, ALL)] == ["c1"]


def test_a_word_in_half_of_the_texts_still_counts() -> None:
    index = index_of("VPN login", "reset the VPN", "canteen", "bus")
    assert {chunk_id for chunk_id, score in index.search("VPN", 4, ALL) if score > 0} == {"c0", "c1"}


def test_one_text_alone_can_be_found() -> None:
    ((chunk_id, score),) = index_of("年假五天").search("年假", 5, ALL)
    assert chunk_id == "c0"
    assert score > 0


def test_filter_is_applied_before_the_cut() -> None:
    index = BM25()
    index.add([make_chunk("年假 年假", f"a{n}", doc_type="md") for n in range(5)])
    index.add([make_chunk("年假 和 其他 许多 事项", "b", doc_type="pdf")])
    assert [c for c, _ in index.search("年假", 1, Filter(equals={"doc_type": ("pdf",)}))] == ["b"]


def test_save_and_load(tmp_path: Path) -> None:
    index = index_of("年假五天", "病假三天 ERR_4032")
    index.save(tmp_path / "k.npz", generation=7)
    loaded = BM25.load(tmp_path / "k.npz", generation=7)
    assert loaded.search("err_4032 病假", 5, ALL) == index.search("err_4032 病假", 5, ALL)
    loaded.remove_revision("r1")
    assert len(loaded) == 1


def test_empty_index_saves_loads_and_finds_nothing(tmp_path: Path) -> None:
    BM25().save(tmp_path / "k.npz", generation=0)
    assert BM25.load(tmp_path / "k.npz", generation=0).search("年假", 5, ALL) == []


@pytest.mark.parametrize("damage", ["missing", "generation", "cut", "garbage"])
def test_a_saved_index_is_never_trusted_against_the_store(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "k.npz"
    index_of("年假五天").save(path, generation=7)
    if damage == "missing":
        path.unlink()
    elif damage == "cut":
        path.write_bytes(path.read_bytes()[:100])
    elif damage == "garbage":
        path.write_bytes(b"not an archive")
    with pytest.raises(StaleIndexError):
        BM25.load(path, generation=8 if damage == "generation" else 7)


@given(texts, st.lists(st.sampled_from(WORDS), min_size=1, max_size=5), st.integers(1, 12))
def test_search_gives_the_best_of_all_that_share_a_token(passages: list[str], words: list[str], k: int) -> None:
    passages = passages * 100
    question = " ".join(words)
    index = index_of(*passages)
    wanted = set(tokenize(question))
    sharing = [f"c{n}" for n, text in enumerate(passages) if wanted & set(tokenize(text))]
    everything = index.search(question, len(passages), ALL)
    assert sorted(chunk_id for chunk_id, _ in everything) == sorted(sharing)
    assert everything == sorted(everything, key=lambda hit: (-hit[1], hit[0]))
    assert index.search(question, k, ALL) == everything[:k]
