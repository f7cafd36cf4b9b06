"""A text is embedded once, callers do not share its vector, and the longest unused is forgotten."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from preprocessing.errors import FolioError
from retrieval.embed.embedder import CachingEmbedder, Vectors


class Counting:
    """Gives the length of the text as its vector, less than zero for a question, and keeps what it was asked."""

    model_id, dimension = "counting", 1

    def __init__(self) -> None:
        self.asked: list[str | list[str]] = []

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.asked.append(list(texts))
        return np.array([[len(text)] for text in texts], dtype=np.float32).reshape(len(texts), 1)

    def embed_query(self, text: str) -> Vectors:
        self.asked.append(text)
        if text == "?":
            raise FolioError("no")
        return np.array([-len(text)], dtype=np.float32)


def test_each_passage_is_embedded_once_and_in_its_place() -> None:
    embedder = Counting()
    cache = CachingEmbedder(embedder)
    assert (cache.model_id, cache.dimension, cache.embed_passages([]).shape) == ("counting", 1, (0, 1))
    assert cache.embed_passages(["年假", "a", "年假"]).tolist() == [[2], [1], [2]]
    assert cache.embed_passages(["a", "bbb", "年假"]).tolist() == [[1], [3], [2]]
    assert embedder.asked == [[], ["年假", "a"], ["bbb"]]
    assert cache.embed_query("a").tolist() == [-1]


def test_a_vector_that_a_caller_changes_stays_as_it_was() -> None:
    cache = CachingEmbedder(Counting())
    for _ in range(3):
        question, passages = cache.embed_query("年假"), cache.embed_passages(["年假"])
        assert (question.tolist(), passages.tolist()) == ([-2], [[2]])
        question[0], passages[0] = 9, 9


def test_threads_get_the_vectors_of_their_own_texts() -> None:
    cache = CachingEmbedder(Counting(), size=5)

    def ask(number: int) -> bool:
        texts = ["x" * (number % 7 + step) for step in range(10)]
        right = cache.embed_passages(texts).tolist() == [[len(text)] for text in texts]
        return right and cache.embed_query(texts[0]).tolist() == [-len(texts[0])]

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(200)))
