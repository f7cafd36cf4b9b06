from typing import Any

import pytest
from jsonschema_rs import validator_for

from tests.agent.http.conftest import Serve


@pytest.fixture
def document(serve: Serve) -> dict[str, Any]:
    response = serve().client.get("/openapi.json")
    assert response.status_code == 200
    found: dict[str, Any] = response.json()
    return found


def operations(document: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [
        (f"{method.upper()} {path}", operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]


def test_every_operation_is_described(document: dict[str, Any]) -> None:
    names = [name for name, _ in operations(document)]
    assert names == [
        "GET /health",
        "POST /api/chat",
        "POST /api/documents",
        "GET /api/documents",
        "GET /api/uploads/{upload_id}",
        "GET /api/documents/{document_id}",
        "DELETE /api/documents/{document_id}",
        "POST /api/search",
        "GET /api/documents/{document_id}/sections",
        "GET /api/passages/{passage_id}",
        "GET /api/sessions",
        "GET /api/sessions/{session}",
        "DELETE /api/sessions/{session}",
        "GET /api/traces/{trace_id}",
        "GET /v1/models",
        "POST /v1/chat/completions",
    ]
    for name, operation in operations(document):
        assert operation["description"], name
        assert operation["tags"], name
        assert (name == "GET /health") is ("security" not in operation), name
        for status, response in operation["responses"].items():
            if int(status) >= 400:
                assert list(response["content"]) == ["application/problem+json"], name
    assert "HTTPValidationError" not in document["components"]["schemas"]


def test_examples_are_right(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    checked = 0
    for name, schema in schemas.items():
        for example in schema.get("examples", []):
            whole = {**schema, "components": {"schemas": schemas}}
            errors = [str(error.message) for error in validator_for(whole).iter_errors(example)]
            assert errors == [], name
            checked += 1
    assert checked >= 3
