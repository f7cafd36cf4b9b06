"""Addresses say which form a server understands, and vectors come back in the order of the texts."""

from typing import Any
from urllib.parse import urlsplit

import pytest

from retrieval.embed.forms import ARK_MULTIMODAL, OPENAI, EmbeddingForm, form_of, with_path

ARK = "https://ark.cn-beijing.volces.com/api/v3"


@pytest.mark.parametrize(
    ("address", "model", "form", "expected"),
    [
        ("http://a/v1", "m", OPENAI, "http://a/v1/embeddings"),
        ("http://a/v1//", "m", OPENAI, "http://a/v1/embeddings"),
        ("http://a/v1/embeddings", "m", OPENAI, "http://a/v1/embeddings"),
        ("http://a/v1/embeddings/", "m", OPENAI, "http://a/v1/embeddings"),
        ("http://a:8000", "m", OPENAI, "http://a:8000/embeddings"),
        ("http://a/v1?api-version=2", "m", OPENAI, "http://a/v1/embeddings?api-version=2"),
        (ARK, "doubao-embedding-large", OPENAI, f"{ARK}/embeddings"),
        (ARK, "doubao-embedding-vision-250615", ARK_MULTIMODAL, f"{ARK}/embeddings/multimodal"),
        (f"{ARK}/embeddings/multimodal", "ep-2024", ARK_MULTIMODAL, f"{ARK}/embeddings/multimodal"),
        ("http://a/v1", "my-embedding-vision", OPENAI, "http://a/v1/embeddings"),
    ],
)
def test_address(address: str, model: str, form: EmbeddingForm, expected: str) -> None:
    assert form_of(urlsplit(address), model) is form
    assert with_path(urlsplit(address), form) == expected


def test_bodies() -> None:
    assert OPENAI.body(["年假", "a"]) == {"input": ["年假", "a"]}
    assert ARK_MULTIMODAL.body(["年假"]) == {"input": [{"type": "text", "text": "年假"}]}


@pytest.mark.parametrize(
    ("form", "answer", "expected"),
    [
        (OPENAI, {"data": [{"index": 1, "embedding": [2]}, {"index": 0, "embedding": [1]}]}, [[1], [2]]),
        (OPENAI, {"data": [{"embedding": [1]}, {"embedding": [2]}]}, [[1], [2]]),
        (OPENAI, {"data": []}, []),
        (ARK_MULTIMODAL, {"data": {"embedding": [1, 2], "object": "embedding"}}, [[1, 2]]),
    ],
)
def test_vectors(form: EmbeddingForm, answer: Any, expected: list[list[float]]) -> None:
    assert form.vectors(answer) == expected


@pytest.mark.parametrize(
    ("form", "answer"),
    [
        (OPENAI, {}),
        (OPENAI, []),
        (OPENAI, {"data": None}),
        (OPENAI, {"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [2]}]}),
        (OPENAI, {"data": [{"index": 1, "embedding": [1]}, {"index": 2, "embedding": [2]}]}),
        (OPENAI, {"data": [{"index": 0, "embedding": [1]}, {"embedding": [2]}]}),
        (OPENAI, {"data": [{"index": 0}]}),
        (OPENAI, {"data": [{"index": None, "embedding": [1]}, {"index": 0, "embedding": [1]}]}),
        (ARK_MULTIMODAL, {"data": [{"embedding": [1]}]}),
    ],
)
def test_an_answer_that_is_none(form: EmbeddingForm, answer: Any) -> None:
    with pytest.raises((ValueError, LookupError, TypeError)):
        form.vectors(answer)
