"""Reranking over HTTP gives an order in every form, keeps every hit, and survives what servers do wrong."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from preprocessing.errors import FolioError
from retrieval.rerank.http import FORMS, HttpReranker
from retrieval.settings import RerankFormName
from tests.retrieval.remote.model_server import ModelServer, Raw, endpoint, one_after_another
from tests.retrieval.rerank.test_rerank import hits_of, order

Score = Callable[[str], Any]


def documents(body: Any) -> list[str]:
    found: list[str] = body["texts"] if "texts" in body else body.get("input", body)["documents"]
    return found


def question(body: Any) -> str:
    return str(body.get("input", body)["query"])


def answer_in(form: RerankFormName, score: Score) -> Callable[[Any], Any]:
    """Return a server that scores each passage and sends the results best first."""

    def answer(body: Any) -> Any:
        results = [{"index": i, FORMS[form].score: score(text)} for i, text in enumerate(documents(body))]
        results.sort(key=lambda result: -(result[FORMS[form].score] or 0))
        if form == "tei":
            return results
        return {"output": {"results": results}} if form == "dashscope" else {"results": results}

    return answer


def last_number(text: str) -> float | None:
    word = text.split()[-1]
    return None if word == "none" else float(word)


def reranker(server: ModelServer, form: RerankFormName = "jina", **options: Any) -> HttpReranker:
    return HttpReranker(FORMS[form], endpoint(server.url("/v1/rerank")), **options)


def results(*places: Any) -> dict[str, Any]:
    return {"results": [{"index": place, "relevance_score": 0.5} for place in places]}


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (results(0, 0), "numbered its results wrongly: 0 comes twice or is none of the 2 passages sent"),
        (results(0, 1, 2), "numbered its results wrongly: 2 comes twice"),
        (results(-1, 0), "numbered its results wrongly: -1 comes twice"),
        (results("0", "1"), "numbered its results wrongly: '0' comes twice"),
        (results([0]), r"sent no scores in the form 'jina' \(TypeError"),
        ({"results": []}, "gave no number for any of 2 passages"),
        ({"results": [{"index": 0, "relevance_score": None}]}, "gave no number for any of 2 passages"),
        ({"results": [{"index": 0, "score": 1}]}, r"in the form 'jina' \(KeyError: 'relevance_score'\); check FOLIO_R"),
        ({"data": []}, r"in the form 'jina' \(KeyError: 'results'\); check FOLIO_RERANK_URL and FOLIO_RERANK_FORM"),
        ([{"index": 0, "score": 1}], "in the form 'jina'"),
        ({"results": None}, "in the form 'jina'"),
        (Raw(401, {"message": "no"}), "refused the key"),
        (Raw(404, {"message": "no"}), "check FOLIO_X_MODEL"),
        (Raw(503, "busy"), "busy or failing"),
        (Raw(422, {"detail": "model is unknown"}), "refused the request"),
    ],
)
def test_an_answer_that_cannot_be_used(answer: Any, message: str) -> None:
    with ModelServer(one_after_another(answer)) as server, pytest.raises(FolioError, match=message) as failed:
        reranker(server, model="m").rerank("年假", hits_of("1", "2"))
    assert "\n" not in str(failed.value)


def test_a_long_chunk_is_as_good_as_its_best_window() -> None:
    long = "制度沿革与适用范围的背景说明。" * 60 + "特殊津贴标准是每月三百元。" + "制度沿革与适用范围的背景说明。" * 20
    with ModelServer(answer_in("tei", lambda text: float("特殊津贴标准" in text))) as server:
        found = reranker(server, "tei").rerank("特殊津贴标准是多少", hits_of("年假十天。", long))
    assert order(found) == ["c2", "c1"]
    sent = documents(server.bodies[0])
    # 1,200 characters and the headings, by 512 less 8 to spare and the question's 9, each with 32 of the last.
    assert len(sent) == 4
    assert all(len(text) <= 512 - 8 - 9 for text in sent[1:])
    assert all(first[-32:] in second for first, second in pairwise(sent[1:]))
    assert all(question(body) == "特殊津贴标准是多少" for body in server.bodies)


def at_most(passages: int, chars: int, score: Score = last_number) -> Callable[[Any], Any]:
    """Return a server that takes so many passages, each with the question so long."""

    def answer(body: Any) -> Any:
        if len(documents(body)) > passages:
            return Raw(413, {"error": f"batch size {len(documents(body))} > maximum allowed batch size {passages}"})
        if max(map(len, documents(body))) + len(question(body)) > chars:
            return Raw(400, {"error": "input exceeds the context length"})
        return answer_in("jina", score)(body)

    return answer


def test_a_server_that_reads_less_gets_shorter_windows(caplog: pytest.LogCaptureFixture) -> None:
    texts = ["背景说明。" * 150 + str(number) for number in (1, 3, 2)]
    with ModelServer(at_most(100, 300, lambda text: int(text[-1]) if text[-1].isdigit() else 0)) as server:
        model = reranker(server, model="m")
        assert order(model.rerank("年假", hits_of(*texts))) == ["c2", "c3", "c1"]
        asked = len(server.bodies)
        model.rerank("年假", hits_of(*texts))
        assert len(server.bodies) == asked + 1
    assert caplog.messages[-1].endswith("passages are read in windows of 256 tokens")
