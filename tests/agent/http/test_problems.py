from typing import Any

import pytest

from agent.models.errors import ModelError, ModelTimeout
from preprocessing.errors import FolioError
from retrieval.remote.address import EndpointBusy
from retrieval.store.store import ServerError
from tests.agent.http.conftest import QUESTION, Serve, Served

JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    ("method", "path", "request_", "status", "said"),
    [
        ("GET", "/nothing", {}, 404, "there is nothing at this path; /openapi.json lists what there is"),
        ("PUT", "/api/chat", {}, 405, "this path does not take that method; it takes POST"),
        ("POST", "/api/chat", {"content": b"{", "headers": JSON}, 400, "the body is not JSON"),
        ("POST", "/api/chat", {"content": b"\xff\xff", "headers": JSON}, 400, "There was an error parsing the body"),
        ("POST", "/api/chat", {"content": b"[" * 100_000, "headers": JSON}, 400, ""),
        (
            "POST",
            "/api/chat",
            {"content": b"question=x"},
            415,
            "of no stated type; send Content-Type: application/json",
        ),
        ("POST", "/api/search", {"data": {"query": "x"}}, 415, "the body is application/x-www-form-urlencoded"),
        ("POST", "/api/documents", {"json": {}}, 415, "send the file as multipart/form-data, as curl -F does"),
        ("POST", "/api/documents", {"files": {"other": ("a.md", b"x")}}, 422, "file: field required"),
        (
            "POST",
            "/api/documents",
            {"content": b"x", "headers": {"Content-Type": "multipart/form-data"}},
            400,
            "boundary",
        ),
        ("POST", "/api/chat", {"content": b'{"question": "\\ud800"}', "headers": JSON}, 422, "question"),
        ("POST", "/api/search", {"json": {"query": "x", "mode": "magic"}}, 422, "mode"),
        ("GET", "/api/documents/nosuch", {}, 422, "document_id"),
        ("GET", "/api/traces/../../etc/passwd", {}, 404, ""),
    ],
)
def test_every_error_is_a_problem(
    served: Served, method: str, path: str, request_: dict[str, Any], status: int, said: str
) -> None:
    response = served.client.request(method, path, **request_)
    problem = response.json()
    assert (response.status_code, problem["status"]) == (status, status)
    assert response.headers["content-type"] == "application/problem+json"
    assert {"type", "title", "status", "detail", "instance", "request_id"} <= problem.keys()
    assert problem["request_id"] == response.headers["x-request-id"]
    assert said in problem["detail"]
    assert "\n" not in problem["detail"]
    assert "Traceback" not in response.text


@pytest.mark.parametrize(
    ("error", "status", "detail"),
    [
        (ModelTimeout("the chat model did not answer in 60 s"), 504, "the chat model did not answer in 60 s"),
        (ModelError("the chat model refused the key"), 502, "the chat model refused the key"),
        (EndpointBusy("the reranker is busy"), 502, "the reranker is busy"),
        (ServerError("Qdrant is not there"), 502, "Qdrant is not there"),
        (FolioError("/home/folio/secret is wrong"), 500, "the server could not do this; its log says why"),
        (KeyError("secret"), 500, "the server could not do this; its log says why"),
    ],
)
def test_what_goes_wrong_behind_the_server(
    serve: Serve, error: Exception, status: int, detail: str, caplog: pytest.LogCaptureFixture
) -> None:
    served = serve("Thought: 查。\nAction: knowledge_search\nAction Input: 年假", error)
    response = served.client.post("/api/chat", json={"question": QUESTION})
    assert (response.status_code, response.json()["status"]) == (status, status)
    assert response.json()["detail"].startswith(detail)
    assert "secret" not in response.text
    assert response.headers["x-request-id"] == response.json()["request_id"]
    logged = [record for record in caplog.records if record.name == "agent.http.problems"]
    assert [record.exc_info is not None for record in logged] == [True] * (status == 500)


@pytest.mark.parametrize("stated", [True, False])
def test_a_body_that_is_too_large_is_not_read(serve: Serve, stated: bool) -> None:
    served = serve(documents={}, max_upload_mb=1)
    # Just as large, and of a kind that would be taken.
    data = b'{"question": "' + b"x" * (1 << 20) + b'"}'
    content: Any = data if stated else (data[start : start + 65536] for start in range(0, len(data), 65536))
    response = served.client.post("/api/chat", content=content, headers=JSON)
    assert (response.status_code, response.json()["detail"]) == (413, "the body is larger than 1 MB")
    large = served.upload("a.md", b"x" * (3 << 20))
    assert (large.status_code, large.json()["detail"]) == (413, "the body is larger than 2 MB")
    just = served.upload("a.md", b"x" * ((1 << 20) + 1))
    assert (just.status_code, just.json()["detail"]) == (413, "a.md is larger than 1 MB; split it")
