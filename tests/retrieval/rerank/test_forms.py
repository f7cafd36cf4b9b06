"""Addresses say which form a server understands; the rest must be told."""

from typing import Any
from urllib.parse import urlsplit

import pytest

from retrieval.rerank.http import FORMS, form_of, with_path
from retrieval.settings import RerankFormName

NATIVE = "https://dashscope.aliyuncs.com/api/v1/services/rerank/text-rerank/text-rerank"


@pytest.mark.parametrize(
    ("given", "form", "posted"),
    [
        ("https://api.jina.ai/v1/rerank", "jina", "https://api.jina.ai/v1/rerank"),
        ("https://api.jina.ai/v1/", "jina", "https://api.jina.ai/v1/rerank"),
        ("http://localhost:9997/v1", "jina", "http://localhost:9997/v1/rerank"),
        ("https://api.cohere.com/v2/rerank", "cohere", "https://api.cohere.com/v2/rerank"),
        ("https://api.cohere.ai/v1/rerank", "cohere", "https://api.cohere.ai/v1/rerank"),
        ("http://localhost:8000/v2", "cohere", "http://localhost:8000/v2/rerank"),
        ("https://api.siliconflow.cn/v1/rerank/", "siliconflow", "https://api.siliconflow.cn/v1/rerank"),
        ("https://api.siliconflow.com/v1", "siliconflow", "https://api.siliconflow.com/v1/rerank"),
        (NATIVE, "dashscope", NATIVE),
        (
            "https://dashscope.aliyuncs.com/compatible-api/v1/reranks",
            "cohere",
            "https://dashscope.aliyuncs.com/compatible-api/v1/reranks",
        ),
        ("http://localhost:8080", None, "http://localhost:8080/rerank"),
        ("http://localhost:8080/rerank?x=1", None, "http://localhost:8080/rerank?x=1"),
        ("https://example.org/score", None, "https://example.org/score"),
    ],
)
def test_address(given: str, form: RerankFormName | None, posted: str) -> None:
    assert with_path(urlsplit(given)) == posted
    assert form_of(urlsplit(posted)) is (FORMS[form] if form else None)


WITH_TEXT = {"model": "m", "query": "年假", "documents": ["甲", "乙"], "top_n": 2, "return_documents": False}
SCORED = [{"index": 1, "relevance_score": 0.9}]


@pytest.mark.parametrize(
    ("form", "body", "answer", "results"),
    [
        ("jina", WITH_TEXT, {"model": "m", "results": SCORED}, SCORED),
        ("siliconflow", WITH_TEXT, {"results": SCORED, "meta": {}}, SCORED),
        ("cohere", {"model": "m", "query": "年假", "documents": ["甲", "乙"], "top_n": 2}, {"results": SCORED}, SCORED),
        (
            "dashscope",
            {
                "model": "m",
                "input": {"query": "年假", "documents": ["甲", "乙"]},
                "parameters": {"top_n": 2, "return_documents": False},
            },
            {"output": {"results": SCORED}, "request_id": "1"},
            SCORED,
        ),
        (
            "tei",
            {"query": "年假", "texts": ["甲", "乙"], "raw_scores": True, "return_text": False, "truncate": True},
            [{"index": 0, "score": -3.5}],
            [{"index": 0, "score": -3.5}],
        ),
    ],
)
def test_request_and_answer(form: RerankFormName, body: Any, answer: Any, results: Any) -> None:
    assert FORMS[form].body("m", "年假", ["甲", "乙"]) == body
    assert FORMS[form].results(answer) == results
    assert FORMS[form].score in results[0]
