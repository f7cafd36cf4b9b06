"""A question is embedded once, and callers do not share its vector."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from preprocessing.errors import FolioError
from retrieval.embed.base import Vectors
from retrieval.embed.query_cache import QueryCache


class Counting:
    """Gives the length of the text as its vector, and keeps what it was asked."""

    model_id, dimension = "counting", 1

    def __init__(self) -> None:
        self.questions: list[str] = []

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return np.array([[len(text)] for text in texts], dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        if text == "?":
            raise FolioError("no")
        self.questions.append(text)
        return np.array([len(text)], dtype=np.float32)


def test_it_stands_for_the_embedder() -> None:
    cache = QueryCache(Counting())
    assert (cache.model_id, cache.dimension) == ("counting", 1)
    assert cache.embed_passages(["年假", "a"]).tolist() == [[2], [1]]


def test_the_longest_unused_question_is_forgotten() -> None:
    embedder = Counting()
    cache = QueryCache(embedder, size=2)
    found = [cache.embed_query(text).tolist() for text in ["年假", "a", "年假", "xyz", "年假", "a"]]
    assert found == [[2], [1], [2], [3], [2], [1]]
    assert embedder.questions == ["年假", "a", "xyz", "a"]


def test_a_vector_that_a_caller_changes_stays_as_it_was() -> None:
    cache = QueryCache(Counting())
    for _ in range(3):
        vector = cache.embed_query("年假")
        assert vector.tolist() == [2]
        vector[0] = 9


def test_a_failure_is_not_kept() -> None:
    embedder = Counting()
    cache = QueryCache(embedder)
    for _ in range(2):
        with pytest.raises(FolioError):
            cache.embed_query("?")
    assert cache.embed_query("年假").tolist() == [2]


def test_threads_share_it() -> None:
    cache = QueryCache(Counting(), size=3)
    texts = ["a" * (place % 7) for place in range(300)]
    with ThreadPoolExecutor(8) as pool:
        assert [vector.tolist() for vector in pool.map(cache.embed_query, texts)] == [[len(text)] for text in texts]
