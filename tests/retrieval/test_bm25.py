"""Scores are those of `rank_bm25`, and hits are those that a search through every chunk would give."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from preprocessing.document import Chunk
from retrieval.bm25 import BM25
from retrieval.filters import Filter
from retrieval.inverted_index.part import SMALL
from retrieval.tokens import tokenize
from tests.fakes import make_chunk

ALL = Filter()
WORDS = ["alpha", "beta", "gamma", "delta", "ERR_4032", "年假", "报销", "住宿", "。"]
texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join), min_size=1, max_size=12)
questions = st.lists(st.sampled_from([*WORDS, "nowhere"]), min_size=1, max_size=5).map(" ".join)


def index_of(*passages: str) -> BM25:
    return BM25.build(make_chunk(text, f"c{n}", revision=f"r{n}") for n, text in enumerate(passages))


@given(texts, questions)
@example(["alpha"], "alpha alpha")
@example(["alpha beta", "alpha", "alpha gamma"], "alpha gamma")
def test_scores_equal_rank_bm25(passages: list[str], question: str) -> None:
    # The library divides by the number of different tokens.
    tokens, corpus = tokenize(question), [tokenize(text) for text in (*passages, "omega")]
    expected = BM25Okapi(corpus).get_scores(tokens)
    scores = index_of(*passages, "omega").scores(tokens)
    assert list(scores) == [f"c{n}" for n in range(len(corpus))]
    assert list(scores.values()) == pytest.approx(list(expected), abs=1e-9, rel=0)


def test_a_word_in_most_texts_weighs_a_quarter_of_the_average_idf() -> None:
    # Three texts of one word each: alpha in two of them has an IDF of ln 1.5 - ln 2.5, beta of ln 2.5 - ln 1.5.
    scores = index_of("alpha", "alpha", "beta").scores(["alpha", "beta"])
    assert scores == pytest.approx({"c0": 0, "c1": 0, "c2": 0.5108256237659907}, abs=1e-12)


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


@pytest.mark.parametrize("index", [BM25(), BM25.build([]), index_of("", "。")])
def test_an_index_without_words_finds_nothing(index: BM25) -> None:
    assert index.search("年假", 5, ALL) == []
    assert set(index.scores(["年假"]).values()) <= {0.0}


@given(texts, questions, st.integers(0, 12))
def test_search_gives_the_best_of_all_that_share_a_token(passages: list[str], question: str, k: int) -> None:
    passages = passages * 40
    index = index_of(*passages)
    wanted = set(tokenize(question))
    sharing = [f"c{n}" for n, text in enumerate(passages) if wanted & set(tokenize(text))]
    everything = index.search(question, len(passages), ALL)
    assert sorted(chunk_id for chunk_id, _ in everything) == sorted(sharing)
    assert everything == sorted(everything, key=lambda hit: (-hit[1], hit[0]))
    assert index.search(question, k, ALL) == everything[:k]


def made(number: int) -> Chunk:
    """Return one of many chunks of which hardly two are of the same kind; some restricted, some with numbers."""
    metadata: dict[str, str | tuple[str, ...]] = {"floor": str(number % 11)}
    if number % 3 == 0:
        metadata["visible_to"] = ("hr",) if number % 2 else ("hr", "finance")
    return make_chunk(
        " ".join(["年假"] * (1 + number % 5) + ["beta"] * (number % 7)),
        f"c{number}",
        index=number % 4,
        doc_id=f"d{number // 4}",
        revision=f"r{number // 4}",
        source=f"{'docs' if number % 8 < 4 else 'notes'}/{number // 4}.md",
        section=("总则", f"第 {number % 6} 节") if number % 5 else (),
        page=number % 9 or None,
        updated_at=f"20{10 + number // 4 % 15}-05-01",
        metadata=metadata,
    )


CHUNKS = [made(number) for number in range(2 * SMALL)]
FILTERED = BM25.build(CHUNKS[:400])
FILTERED.add(CHUNKS[400:])
conditions = st.fixed_dictionaries(
    {},
    optional={
        "doc_id": st.sampled_from([("d3",), ("d3", "d110"), ("d",)]),
        "section": st.sampled_from([("总则",), ("第 1 节", "第 2 节"), ("第*",), ("总*", "x"), ("nowhere",)]),
        "source": st.sampled_from([("docs/*",), ("notes/1.md",), ("docs/2*", "notes/1*")]),
        "floor": st.sampled_from([("3",), ("3", "7"), ("12",)]),
        "visible_to": st.sampled_from([("finance",), ("hr",)]),
        "page>=": st.sampled_from([("8",), ("100",)]),
        "floor<": st.sampled_from([("2",), ("0",)]),
        "updated_at<=": st.sampled_from([("2012",), ("2000-01-01",)]),
    },
)
viewers = st.sampled_from([(), ("hr",), ("finance",), ("hr", "finance")])
hidden = st.sampled_from([frozenset[str](), frozenset({"r3", "r100"}), frozenset(f"r{n}" for n in range(127))])


@given(conditions, viewers, hidden, st.sampled_from([1, 3, 20, 600]))
def test_a_filter_is_applied_before_the_cut(
    filters: dict[str, tuple[str, ...]], viewer: tuple[str, ...], hidden: frozenset[str], k: int
) -> None:
    where = Filter.of(filters, viewer, hidden)
    allowed = {chunk.chunk_id for chunk in CHUNKS if where.allows(chunk)}
    everything = FILTERED.search("年假 beta", len(CHUNKS), Filter(viewer=frozenset({"hr", "finance"})))
    assert len(everything) == len(CHUNKS)
    assert FILTERED.search("年假 beta", k, where) == [hit for hit in everything if hit[0] in allowed][:k]


def test_a_filter_that_the_index_knows_nothing_of_has_the_last_word() -> None:
    class Odd(Filter):
        def allows(self, chunk: Chunk) -> bool:
            return chunk.index == 3 and chunk.heading == "总则 > 第 1 节"

    expected = {chunk.chunk_id for chunk in CHUNKS if Odd().allows(chunk)}
    found = FILTERED.search("年假", len(CHUNKS), Odd(viewer=frozenset({"hr"})))
    assert {chunk_id for chunk_id, _ in found} == expected != set()


@pytest.mark.parametrize("question", ["的 了 吗 ？", "What is it?", "？！"])
def test_stop_words_alone_find_nothing(question: str) -> None:
    assert index_of("食堂的开放时间", "What it is", "？！").search(question, 5, ALL) == []
