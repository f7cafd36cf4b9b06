"""A sentence is embedded once, and callers do not share its vector."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from retrieval.embed.base import Vectors
from retrieval.embed.bundled import BundledEmbedder
from retrieval.embed.passage_cache import PassageCache


class Counting:
    """Gives the length of the text as its vector, and keeps what it was asked."""

    model_id, dimension = "counting", 1

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.batches.append(list(texts))
        return np.array([[len(text)] for text in texts], dtype=np.float32).reshape(len(texts), 1)

    def embed_query(self, text: str) -> Vectors:
        return np.array([-len(text)], dtype=np.float32)


def test_it_stands_for_the_embedder() -> None:
    cache = PassageCache(Counting())
    assert (cache.model_id, cache.dimension) == ("counting", 1)
    assert cache.embed_query("abc").tolist() == [-3]
    assert cache.embed_passages([]).shape == (0, 1)


def test_each_text_is_embedded_once_and_in_its_place() -> None:
    embedder = Counting()
    cache = PassageCache(embedder)
    assert cache.embed_passages(["年假", "a", "年假"]).tolist() == [[2], [1], [2]]
    assert cache.embed_passages(["a", "bbb", "年假"]).tolist() == [[1], [3], [2]]
    assert embedder.batches == [["年假", "a"], ["bbb"]]
    cache.embed_passages(["a"])[:] = 9
    assert cache.embed_passages(["a"]).tolist() == [[1]]
    assert len(embedder.batches) == 2


def test_the_longest_unused_text_is_forgotten() -> None:
    embedder = Counting()
    cache = PassageCache(embedder, size=2)
    for texts in (["a"], ["bb"], ["a"], ["ccc"], ["a"], ["bb"]):
        cache.embed_passages(texts)
    assert embedder.batches == [["a"], ["bb"], ["ccc"], ["bb"]]
    assert cache.embed_passages(["a", "bb", "ccc", "dddd"]).tolist() == [[1], [2], [3], [4]]


def test_threads_get_the_vectors_of_their_own_texts() -> None:
    cache = PassageCache(Counting(), size=5)

    def ask(number: int) -> bool:
        texts = ["x" * (number + step) for step in range(10)]
        return cache.embed_passages(texts).tolist() == [[len(text)] for text in texts]

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(1, 200)))


def test_a_vector_does_not_depend_on_what_is_embedded_beside_it() -> None:
    texts = ["转正员工年假 12 天。", "VPN sessions are closed after 45 minutes.", "出差住宿标准每晚 500 元。"]
    embedder = BundledEmbedder()
    cache = PassageCache(embedder)
    cache.embed_passages(texts[:1])
    assert np.array_equal(cache.embed_passages(texts), embedder.embed_passages(texts))
