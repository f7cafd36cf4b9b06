"""What a Qdrant server answers becomes one line that names the host and never the key."""

import json
import logging
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from typing import Any

import httpx
import numpy as np
import pytest
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from preprocessing.errors import FolioError
from retrieval.filters import Filter
from retrieval.store.payload import INDEXED
from retrieval.store.qdrant import QdrantStore
from retrieval.store.server import CollectionShape, retrying
from retrieval.store.store import ServerError
from tests.fakes import make_chunk
from tests.retrieval.store.fake_qdrant import FakeQdrant, running

pytestmark = pytest.mark.enable_socket

KEY = "secret-key"
SHAPE = CollectionShape(3)
Answer = tuple[int, dict[str, Any]]
Table = dict[str, Answer | list[Answer]]
"""Method and path → what is answered; of a list one after the other."""
Stub = Callable[[Table], str]


def _collection(size: int, **schema: Any) -> dict[str, Any]:
    return {
        "result": {
            "status": "green",
            "optimizer_status": "ok",
            "segments_count": 1,
            "config": {
                "params": {
                    "vectors": {"vector": {"size": size, "distance": "Cosine"}},
                    "sparse_vectors": {"keyword": {"modifier": "idf"}},
                    "shard_number": 3,
                    "replication_factor": 2,
                },
                "hnsw_config": {"m": 16, "ef_construct": 100, "full_scan_threshold": 10000},
                "optimizer_config": {
                    "deleted_threshold": 0.2,
                    "vacuum_min_vector_number": 1000,
                    "default_segment_number": 0,
                    "flush_interval_sec": 5,
                },
            },
            "payload_schema": schema,
        }
    }


INFO = {"title": "qdrant", "version": version("qdrant-client")}
EXISTS = {"result": {"exists": True}}
OK = {"result": True}
READY: Table = {
    "GET /": (200, INFO),
    "GET /collections/folio/exists": (200, EXISTS),
    "GET /collections/folio": (200, _collection(3)),
    "PUT /collections/folio/index": (200, {"result": {"operation_id": 1, "status": "completed"}}),
}


@pytest.fixture
def requests() -> list[tuple[str, Any]]:
    return []


@pytest.fixture
def serve(requests: list[tuple[str, Any]]) -> Iterator[Stub]:
    """Start a server that answers as the table says, and 404 to everything else."""
    servers: list[ThreadingHTTPServer] = []

    def start(answers: Table) -> str:
        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                name = f"{self.command} {self.path.partition('?')[0]}"
                requests.append((name, json.loads(body) if body else None))
                planned = answers.get(name, (404, {"status": {"error": "Not found"}}))
                status, content = planned.pop(0) if isinstance(planned, list) else planned
                data = json.dumps(content).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_PUT = do_POST = answer  # noqa: N815

            def log_message(self, format: str, *args: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_address[1]}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def _host(url: str) -> str:
    return url.removeprefix("http://")


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_not_repeated(serve: Stub, status: int) -> None:
    url = serve({"GET /": (status, {"status": {"error": "Invalid API key"}})})
    with pytest.raises(ServerError) as refused:
        QdrantStore.open(url, KEY, "folio", SHAPE)
    assert str(refused.value) == f"Qdrant server {_host(url)} refuses the key: correct FOLIO_QDRANT_API_KEY"


def test_a_server_that_is_not_there() -> None:
    with pytest.raises(
        ServerError, match=r"^Qdrant server 127\.0\.0\.1:1 does not answer \(.+\): start it, or"
    ) as gone:
        QdrantStore.open("http://127.0.0.1:1", None, "folio", SHAPE)
    assert "\n" not in str(gone.value)


def test_an_answer_that_is_not_understood_is_not_taken_for_silence(serve: Stub) -> None:
    url = serve(READY | {"GET /collections/folio": (200, {"result": {"status": "purple"}})})
    with pytest.raises(
        ServerError, match=r"answered in a form that is not known here \(.+\): bring server and"
    ) as strange:
        QdrantStore.open(url, None, "folio", SHAPE)
    assert "\n" not in str(strange.value)


def test_a_new_collection_gets_its_indexes(serve: Stub, requests: list[tuple[str, Any]]) -> None:
    url = serve(
        READY
        | {"GET /collections/folio/exists": (200, {"result": {"exists": False}}), "PUT /collections/folio": (200, OK)}
    )
    QdrantStore.open(url, None, "folio", CollectionShape(3, 6, 2)).close()
    made = [body for name, body in requests if name == "PUT /collections/folio"]
    assert made == [
        {
            "vectors": {"vector": {"size": 3, "distance": "Cosine"}},
            "sparse_vectors": {"keyword": {"modifier": "idf"}},
            "shard_number": 6,
            "replication_factor": 2,
        }
    ]
    indexes = [body for name, body in requests if name == "PUT /collections/folio/index"]
    schemas = {"keyword": "keyword", "prefix": {"type": "keyword", "prefix": True}, "number": "float"}
    assert indexes == [{"field_name": field, "field_schema": schemas[INDEXED[field]]} for field in sorted(INDEXED)]


def test_another_process_may_make_the_collection_first(serve: Stub) -> None:
    there: list[Answer] = [(200, {"result": {"exists": False}}), (200, EXISTS)]
    answers = READY | {
        "GET /collections/folio/exists": there,
        "PUT /collections/folio": (409, {"status": {"error": "already exists"}}),
    }
    QdrantStore.open(serve(answers), None, "folio", SHAPE).close()
    assert there == []


def test_another_dimension_names_the_command(serve: Stub) -> None:
    url = serve(READY | {"GET /collections/folio": (200, _collection(4))})
    with pytest.raises(FolioError) as refused:
        QdrantStore.open(url, None, "folio", CollectionShape(8))
    assert str(refused.value) == (
        f"collection folio on {_host(url)} holds vectors of 4 dimensions, FOLIO_EMBED_MODEL gives 8: "
        "set the model it was made with, or run folio reindex"
    )


def test_a_refused_filter_is_an_error_and_not_an_empty_result(serve: Stub) -> None:
    answers = READY | {
        "POST /collections/folio/points/query": (400, {"status": {"error": 'Index required but not found for "x"'}})
    }
    url = serve(answers)
    store = QdrantStore.open(url, None, "folio", SHAPE)
    with pytest.raises(ServerError, match=f"Qdrant server {_host(url)} answered 400: .*Index required"):
        store.search(np.ones(3, dtype=np.float32), 5, Filter(equals={"x": ("y",)}))
    store.close()


@pytest.mark.parametrize(("served", "warned"), [("1.11.0", True), ("2.20.0", True), (version("qdrant-client"), False)])
def test_a_server_of_another_age_is_reported(
    serve: Stub, caplog: pytest.LogCaptureFixture, served: str, warned: bool
) -> None:
    url = serve(READY | {"GET /": (200, INFO | {"version": served})})
    with caplog.at_level(logging.WARNING):
        QdrantStore.open(url, None, "folio", SHAPE).close()
    assert [f"has version {served} and the client" in record.message for record in caplog.records] == [True] * warned


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
