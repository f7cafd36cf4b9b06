"""Families that need a prefix get it, and another prefix is another model to the manifest."""

import pytest

from retrieval.embed.embedder import Prefixes, chosen_prefixes, usual_prefixes

INSTRUCT = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"


@pytest.mark.parametrize(
    ("model", "query", "passage"),
    [
        ("intfloat/multilingual-e5-small", "query: ", "passage: "),
        ("models/E5-base-v2/", "query: ", "passage: "),
        ("e5:large", "query: ", "passage: "),
        ("intfloat/multilingual-e5-large-instruct", f"{INSTRUCT} ", ""),
        ("intfloat/e5-mistral-7b-instruct", f"{INSTRUCT} ", ""),
        ("Qwen/Qwen3-Embedding-0.6B", INSTRUCT, ""),
        ("BAAI/bge-m3", "", ""),
        ("text-embedding-3-small", "", ""),
        ("me5-tuned", "", ""),
        ("e5/mine", "", ""),
    ],
)
def test_usual_prefixes(model: str, query: str, passage: str) -> None:
    assert usual_prefixes(model) == Prefixes(query, passage)


@pytest.mark.parametrize(
    ("query", "passage", "expected"),
    [
        (None, None, Prefixes("query: ", "passage: ")),
        ("Q:", None, Prefixes("Q:", "passage: ")),
        (" ", " ", Prefixes()),
        (None, "段落：", Prefixes("query: ", "段落：")),
    ],
)
def test_what_is_set_wins(query: str | None, passage: str | None, expected: Prefixes) -> None:
    assert chosen_prefixes("e5", query, passage) == expected
