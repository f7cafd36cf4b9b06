"""What can pass is tried again, a few times; what cannot is said at once."""

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import numpy as np
import pytest
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from retrieval.filters import Filter
from retrieval.store.qdrant import QdrantStore
from retrieval.store.server import CollectionShape, retrying
from retrieval.store.store import ServerError
from tests.fakes import make_chunk
from tests.retrieval.store.fake_qdrant import FakeQdrant, running

VECTOR = np.ones((1, 2), np.float32)


@pytest.fixture(autouse=True)
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    pauses: list[float] = []
    monkeypatch.setattr("retrieval.store.server.time.sleep", pauses.append)
    return pauses


def answered(status: int) -> UnexpectedResponse:
    return UnexpectedResponse(status, "", b"", httpx.Headers())


def failing(*errors: Exception) -> Callable[[], str]:
    left = list(errors)

    def ask() -> str:
        if left:
            raise left.pop(0)
        return "done"

    return ask


@pytest.mark.parametrize(
    "error",
    [
        answered(429),
        answered(500),
        answered(503),
        ResourceExhaustedResponse("slow down", 0),
        ResponseHandlingException(httpx.ReadTimeout("")),
        ResponseHandlingException(httpx.ConnectError("")),
        ResponseHandlingException(httpx.RemoteProtocolError("")),
    ],
)
def test_what_can_pass_is_tried_again(error: Exception, slept: list[float]) -> None:
    assert retrying(failing(error, error), (1, 2)) == "done"
    assert [0.5 <= slept[0] <= 1, 1 <= slept[1] <= 2, len(slept)] == [True, True, 2]


@pytest.mark.parametrize(
    "error",
    [
        answered(400),
        answered(401),
        answered(404),
        ResponseHandlingException(ValueError("not JSON")),
        ResourceExhaustedResponse("come back tomorrow", 86400),
        KeyError("a bug"),
    ],
)
def test_what_cannot_pass_is_not(error: Exception, slept: list[float]) -> None:
    with pytest.raises(type(error)):
        retrying(failing(error), (1, 2))
    assert slept == []


def test_a_server_that_names_a_pause_gets_it(slept: list[float]) -> None:
    assert retrying(failing(ResourceExhaustedResponse("slow down", 7)), (1,)) == "done"
    assert slept == [7]


@pytest.fixture
def server() -> Iterator[FakeQdrant]:
    with running() as fake:
        yield fake


@pytest.fixture
def store(server: FakeQdrant) -> Iterator[QdrantStore]:
    opened = QdrantStore.open(server.url, None, "folio", CollectionShape(2))
    yield opened
    opened.close()


@pytest.mark.enable_socket
def test_a_batch_is_written_after_refusals(server: FakeQdrant, store: QdrantStore, slept: list[float]) -> None:
    server.refusals["PUT points"] = [(503, {}), (429, {"Retry-After": "3"}), (500, {})]
    store.upsert([make_chunk("年假")], VECTOR)
    assert store.count() == 1
    assert server.names().count("PUT /collections/folio/points") == 4
    assert (len(slept), slept[1]) == (3, 3)


@pytest.mark.enable_socket
@pytest.mark.parametrize(
    ("path", "ask", "tries"),
    [
        ("PUT points", lambda store: store.upsert([make_chunk("年假")], VECTOR), 6),
        ("POST delete", lambda store: store.delete_revision("r1"), 6),
        ("POST query", lambda store: store.search(VECTOR[0], 5, Filter()), 3),
        ("POST query", lambda store: store.search_keyword("年假", 5, Filter()), 3),
        ("POST count", lambda store: store.count(), 3),
    ],
)
def test_a_server_that_stays_away_is_one_line(
    server: FakeQdrant, store: QdrantStore, path: str, ask: Callable[[QdrantStore], Any], tries: int
) -> None:
    server.refusals[path] = [(503, {})] * 20
    with pytest.raises(ServerError, match=r"^Qdrant server 127\.0\.0\.1:\d+ answered 503: .*not now"):
        ask(store)
    assert len(server.refusals[path]) == 20 - tries


@pytest.mark.enable_socket
def test_a_wrong_request_is_not_sent_again(server: FakeQdrant, store: QdrantStore, slept: list[float]) -> None:
    server.refusals["PUT points"] = [(400, {})]
    with pytest.raises(ServerError, match="answered 400"):
        store.upsert([make_chunk("年假")], VECTOR)
    assert (store.count(), slept) == (0, [])


@pytest.mark.enable_socket
def test_many_chunks_go_in_batches(server: FakeQdrant, store: QdrantStore) -> None:
    store.upsert([make_chunk("年假", f"c{number}") for number in range(300)], np.ones((300, 2), np.float32))
    sizes = [len(body["points"]) for name, body in server.requests if name == "PUT /collections/folio/points"]
    assert sizes == [128, 128, 44]
    assert store.count() == 300
