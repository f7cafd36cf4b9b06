"""The app against its own OpenAPI document: requests that fit it, and requests that do not."""

from typing import Any

import hypothesis
import pytest
import schemathesis
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance

from tests.agent.http.conftest import ANSWER, SEARCH, Serve

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
