"""What the app says of itself, and requests that fit it or do not."""

from typing import Any

import hypothesis
import pytest
import schemathesis
from jsonschema_rs import validator_for
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance

from tests.agent.http.conftest import ANSWER, SEARCH, Serve


@pytest.fixture
def document(serve: Serve) -> dict[str, Any]:
    response = serve().client.get("/openapi.json")
    assert response.status_code == 200
    found: dict[str, Any] = response.json()
    return found


def described(document: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [
        (f"{method.upper()} {path}", operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]


def test_every_operation_is_described(document: dict[str, Any]) -> None:
    names = [name for name, _ in described(document)]
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
    for name, operation in described(document):
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


_UNKNOWABLE = [positive_data_acceptance]
"""What fits the document is not always taken: a file may be none that is read, a name in metadata no group."""


@pytest.fixture
def operations(serve: Serve) -> tuple[list[Any], dict[str, str]]:
    """Return the operations of a server, and the headers of a key that may do everything."""
    served = serve(SEARCH, ANSWER, documents={"a.md": "# A\n\nsome text"}, requests_per_minute=0)
    headers = served.key("desk", "admin")
    described = served.client.get("/openapi.json").json()
    # Requests without the key are another test; here they would hide what is wrong with the rest.
    for operation in (each for methods in described["paths"].values() for each in methods.values()):
        operation.pop("security", None)
    document = schemathesis.openapi.from_dict(described)
    document.app = served.client.app
    return [found.ok() for found in document.get_all_operations()], headers


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
def test_no_request_breaks_the_server_or_its_document(
    operations: tuple[list[Any], dict[str, str]], mode: GenerationMode
) -> None:
    found, headers = operations
    without_parameters = []
    for operation in found:

        @hypothesis.settings(max_examples=5, suppress_health_check=list(hypothesis.HealthCheck))
        @hypothesis.given(operation.as_strategy(generation_mode=mode))
        def check(case: Any) -> None:
            case.call_and_validate(headers=headers, excluded_checks=_UNKNOWABLE)

        try:
            check()
        except hypothesis.errors.Unsatisfiable:
            without_parameters.append(operation.label)
    assert len(found) == 16
    assert set(without_parameters) <= {"GET /health", "GET /api/sessions", "GET /v1/models"}
