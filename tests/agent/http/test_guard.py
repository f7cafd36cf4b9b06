from typing import Any

import pytest

from tests.agent.conftest import LEAVE
from tests.agent.http.conftest import ANSWER, QUESTION, SEARCH, Serve, Served


def test_without_keys_this_machine_is_served(serve: Serve) -> None:
    served = serve(SEARCH, ANSWER, documents={"leave.md": LEAVE})
    # What front ends send where they insist on a key.
    headers = {"Authorization": "Bearer none"}
    assert served.client.post("/api/chat", json={"question": QUESTION}, headers=headers).status_code == 200
    assert served.upload("a.md", "some text of a document").status_code == 201


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "localhost:8000"}, 200),
        ({"Host": "[::1]:8000"}, 200),
        ({"Origin": "http://localhost:5173"}, 200),
        ({"Origin": "https://intranet.example"}, 200),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "https://127.0.0.1.evil.example"}, 403),
        # A name elsewhere that means this machine.
        ({"Host": "rebound.evil.example"}, 403),
        ({"Host": "rebound.evil.example", "Origin": "http://rebound.evil.example"}, 403),
        ({"Host": "["}, 403),
    ],
)
def test_an_open_server_answers_no_page_from_elsewhere(served: Served, headers: dict[str, str], status: int) -> None:
    response = served.client.get("/api/documents", headers=headers)
    assert response.status_code == status
    if status == 403:
        assert "folio keys add" in response.json()["detail"]


def test_as_soon_as_a_key_was_made_every_request_needs_one(serve: Serve) -> None:
    served = serve()
    right = served.key("desk")
    for authorization in (None, "", "Bearer", "Basic Zm9saW86eA==", "Bearer folio_nothing"):
        headers = {"Authorization": authorization} if authorization is not None else {}
        response = served.client.get("/api/documents", headers=headers)
        assert (response.status_code, response.json()["status"]) == (401, 401)
        assert response.headers["www-authenticate"].startswith("Bearer")
        assert response.headers["content-type"] == "application/problem+json"
        # The body of a request without a key is not even read.
        assert served.client.post("/api/chat", content=b"{", headers=headers).status_code == 401
        assert served.client.get("/api/nothing", headers=headers).status_code == 401
    assert served.client.get("/api/documents", headers=right).status_code == 200

    served.keys.revoke("desk")
    assert served.client.get("/api/documents", headers=right).status_code == 401


def test_elsewhere_than_on_loopback_nothing_is_open(serve: Serve) -> None:
    served = serve(on_loopback=False)
    assert served.client.get("/api/documents").status_code == 401
    assert served.client.get("/health").status_code == 200


def test_roles(serve: Serve) -> None:
    served = serve(documents={})
    operations: list[tuple[str, str, dict[str, Any], str]] = [
        ("GET", "/api/documents", {}, "read"),
        ("POST", "/api/search", {"json": {"query": "x"}}, "read"),
        ("GET", "/v1/models", {}, "read"),
        ("POST", "/api/documents", {"files": {"file": ("a.md", b"some text here")}}, "write"),
        ("DELETE", "/api/documents/" + "0" * 16, {}, "write"),
        ("GET", "/api/uploads/" + "0" * 32, {}, "write"),
    ]
    for method, path, body, needs in operations:
        for role, allowed in (("read", needs == "read"), ("write", True), ("admin", True)):
            response = served.client.request(method, path, headers=served.key(role, role), **body)
            assert (response.status_code != 403) is allowed
            if not allowed:
                assert response.json()["detail"] == "this needs a key of the role write; this one has the role read"


def test_too_many_requests_with_a_key(serve: Serve) -> None:
    served = serve(requests_per_minute=2)
    mine, yours = served.key("mine"), served.key("yours")
    statuses = [served.client.get("/v1/models", headers=mine) for _ in range(3)]
    assert [response.status_code for response in statuses] == [200, 200, 429]
    assert 1 <= int(statuses[-1].headers["retry-after"]) <= 30
    assert served.client.get("/v1/models", headers=yours).status_code == 200
    # Whether the server is well is not counted.
    assert served.client.get("/health", headers=mine).status_code == 200


def test_pages_elsewhere_may_call_only_where_that_is_set(served: Served) -> None:
    asked = {"Origin": "https://intranet.example", "Access-Control-Request-Method": "POST"}
    allowed = served.client.options("/api/chat", headers=asked)
    assert (allowed.status_code, allowed.headers["access-control-allow-origin"]) == (200, "https://intranet.example")
    other = served.client.options("/api/chat", headers=asked | {"Origin": "https://other.example"})
    assert "access-control-allow-origin" not in other.headers
