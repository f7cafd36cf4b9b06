"""A stand-in for a Qdrant server: its HTTP routes before the in-process engine of the client.

It shows that what the client sends over HTTP is what was meant; that a real server does as the engine does is
shown only by a run with FOLIO_TEST_QDRANT_URL.
"""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from typing import Any

from qdrant_client import QdrantClient, models

Refusal = tuple[int, Mapping[str, str]]
"""Status and headers of an answer that is none."""


class FakeQdrant:
    """Collections that are reached at `url`; keeps every request, and refuses those that it is told to."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, Any]] = []
        """(method and path, body) of every request, the refused ones too."""
        self.refusals: dict[str, list[Refusal]] = {}
        """Method and last part of the path → answers to give before the real one."""
        self.url = ""
        self._engine = QdrantClient(":memory:")
        self._indexes: dict[str, dict[str, Any]] = {}
        self._shapes: dict[str, dict[str, Any]] = {}
        self._turn = threading.Lock()

    def names(self) -> list[str]:
        """Return the method and path of every request."""
        return [name for name, _ in self.requests]

    def answer(self, method: str, path: str, body: Any) -> tuple[int, Mapping[str, str], Any]:
        """Return status, headers and body of the answer."""
        with self._turn:
            self.requests.append((f"{method} {path}", body))
            parts = path.strip("/").split("/")
            if refusals := self.refusals.get(f"{method} {parts[-1]}"):
                status, headers = refusals.pop(0)
                return status, headers, {"status": {"error": "not now"}}
            if parts == [""]:
                return 200, {}, {"title": "qdrant", "version": version("qdrant-client")}
            collection, rest = parts[1], "/".join(parts[2:])
            route = self._routes(collection, body).get(f"{method} {rest}")
            if route is None:
                return 404, {}, {"status": {"error": "Not found"}}
            return 200, {}, {"result": _plain(route())}

    def _routes(self, name: str, body: Any) -> dict[str, Callable[[], Any]]:
        engine = self._engine
        return {
            "GET exists": lambda: {"exists": engine.collection_exists(name)},
            "GET ": lambda: self._info(name),
            "PUT ": lambda: self._create(name, body),
            "DELETE ": lambda: engine.delete_collection(name),
            "PUT index": lambda: self._index(name, body),
            "PUT points": lambda: engine.upsert(name, models.PointsList.model_validate(body).points),
            "POST points/delete": lambda: engine.delete(name, models.FilterSelector.model_validate(body)),
            "POST points": lambda: self._retrieve(name, models.PointRequest.model_validate(body)),
            "POST points/query": lambda: self._query(name, models.QueryRequest.model_validate(body)),
            "POST points/scroll": lambda: self._scroll(name, models.ScrollRequest.model_validate(body)),
            "POST points/count": lambda: engine.count(name, models.CountRequest.model_validate(body).filter),
        }

    def _create(self, name: str, body: Any) -> bool:
        asked = models.CreateCollection.model_validate(body)
        self._shapes[name] = {"shard_number": asked.shard_number, "replication_factor": asked.replication_factor}
        return self._engine.create_collection(
            name,
            asked.vectors,
            asked.sparse_vectors,
            metadata=asked.metadata,  # type: ignore[arg-type]
        )

    def _index(self, name: str, body: Any) -> dict[str, Any]:
        schema = body["field_schema"]
        kind = schema if isinstance(schema, str) else schema["type"]
        self._indexes.setdefault(name, {})[body["field_name"]] = {"data_type": kind, "points": 0}
        return {"operation_id": 1, "status": "completed"}

    def _info(self, name: str) -> dict[str, Any]:
        info = _plain(self._engine.get_collection(name))
        info["config"]["params"].update(self._shapes[name])
        return {**info, "payload_schema": self._indexes.get(name, {})}

    def _retrieve(self, name: str, asked: models.PointRequest) -> Any:
        return self._engine.retrieve(name, asked.ids, asked.with_payload or False, asked.with_vector or False)

    def _query(self, name: str, asked: models.QueryRequest) -> Any:
        return self._engine.query_points(
            name,
            query=asked.query,
            using=asked.using,
            query_filter=asked.filter,
            limit=asked.limit or 10,
            with_payload=asked.with_payload or False,
        )

    def _scroll(self, name: str, asked: models.ScrollRequest) -> dict[str, Any]:
        points, following = self._engine.scroll(
            name,
            asked.filter,
            asked.limit or 10,
            offset=asked.offset,
            with_payload=asked.with_payload or False,
            with_vectors=asked.with_vector or False,
        )
        return {"points": points, "next_page_offset": following}


@contextmanager
def running() -> Iterator[FakeQdrant]:
    """Give a server on a free port of this machine."""
    fake = FakeQdrant()

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            path = self.path.partition("?")[0]
            status, headers, content = fake.answer(self.command, path, json.loads(body) if body else None)
            data = json.dumps(content).encode()
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_PUT = do_POST = do_DELETE = answer  # noqa: N815

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.request_queue_size = 64
    threading.Thread(target=server.serve_forever, daemon=True).start()
    fake.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield fake
    finally:
        server.shutdown()
        server.server_close()


def _plain(value: Any) -> Any:
    """Return JSON values for what the engine answers."""
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else value
