import asyncio
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from typing import Any

import httpx2
import pytest
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from agent.assistant import Assistant
from agent.http.keys import KeyStore, open_database
from agent.mcp.endpoint import Endpoint, create_app
from tests.agent.http.conftest import QUESTION
from tests.agent.mcp.conftest import Mode, error_of

PATH = Endpoint.path
modes = pytest.mark.parametrize("mode", ["auto", "legacy"])


class Served:
    """A server that a test asks."""

    def __init__(self, url: str, keys: KeyStore, server: uvicorn.Server) -> None:
        self.url = url
        self.keys = keys
        self.server = server

    @asynccontextmanager
    async def client(self, key: str | None = None, mode: Mode = "auto") -> AsyncIterator[Client]:
        """Connect a client that sends the key."""
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            Client(streamable_http_client(self.url, http_client=http), mode=mode) as client,
        ):
            yield client

    def call(self, tool: str, arguments: dict[str, Any], key: str | None = None, mode: Mode = "auto") -> Any:
        """Return what one call of a tool gives."""

        async def run() -> Any:
            async with self.client(key, mode) as client:
                await client.list_tools()
                return await client.call_tool(tool, arguments)

        return asyncio.run(run())


Serve = Callable[..., Served]


@contextmanager
def running(app: Any) -> Iterator[tuple[uvicorn.Server, str]]:
    """Run an app at a free port."""
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="on"))
    with socket.create_server(("127.0.0.1", 0)) as sock:
        thread = threading.Thread(target=server.run, args=([sock],))
        thread.start()
        try:
            while not server.started:
                assert thread.is_alive()
                time.sleep(0.01)
            yield server, f"http://127.0.0.1:{sock.getsockname()[1]}{PATH}"
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture
def serve(assistant_with: Callable[..., Assistant]) -> Iterator[Serve]:
    """Return a function that serves an assistant whose model gives these replies."""
    with ExitStack() as open_:

        def make(*replies: Any, on_loopback: bool = True) -> Served:
            assistant = assistant_with(*replies)
            database = open_database(assistant.settings)
            open_.callback(database.dispose)
            app = create_app(assistant, database, on_loopback=on_loopback)
            server, url = open_.enter_context(running(app))
            return Served(url, KeyStore(database), server)

        yield make


@modes
def test_a_key_says_the_groups(serve: Serve, mode: Mode) -> None:
    served = serve()
    keys = {group: served.keys.add(group, "read", (group,))[1] for group in ("board", "hr")}
    for group, key in keys.items():
        listed = served.call("list_documents", {}, key, mode).structured_content
        assert ("hr/board.md" in {one["source"] for one in listed["documents"]}) == (group == "board")
        found = served.call("knowledge_search", {"query": "董事会"}, key, mode).structured_content
        assert ("hr/board.md" in {one["source"] for one in found["hits"]}) == (group == "board")
        assert served.call("read_section", {"document": "board.md"}, key, mode).is_error == (group == "hr")


def test_a_session_is_of_the_key_that_began_it(serve: Serve) -> None:
    served = serve()
    one, other = (served.keys.add(name)[1] for name in ("one", "other"))
    given = {"question": QUESTION, "session": "s"}
    assert served.call("ask", given, one).structured_content["session"] == "s"
    refused = served.call("ask", given, other)
    assert error_of(refused) == "there is no session 's'; leave it out to begin a new one"
    assert not served.call("ask", given, one).is_error


@pytest.mark.parametrize("on_loopback", [True, False])
def test_without_a_right_key_nobody_is_let_in(serve: Serve, on_loopback: bool) -> None:
    served = serve(on_loopback=on_loopback)
    if on_loopback:
        served.keys.add("somebody")
    for sent in (None, "folio_000000000000_" + "x" * 43, "nonsense"):
        headers = {"Authorization": f"Bearer {sent}"} if sent else {}
        for method in ("POST", "GET", "DELETE"):
            answer = httpx2.request(method, served.url, headers=headers)
            assert answer.status_code == 401
            assert answer.headers["www-authenticate"].startswith("Bearer")


def test_a_connection_is_of_the_key_that_began_it(serve: Serve) -> None:
    served = serve()
    one, other = (served.keys.add(name)[1] for name in ("one", "other"))
    begin = {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}},
    }
    accept = {"Accept": "application/json, text/event-stream"}
    begun = httpx2.post(served.url, json=begin, headers={**accept, "Authorization": f"Bearer {one}"})
    assert begun.status_code == 200
    session = {"Mcp-Session-Id": begun.headers["mcp-session-id"]}
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    statuses = [
        httpx2.post(served.url, json=ping, headers={**accept, **session, "Authorization": f"Bearer {key}"}).status_code
        for key in (other, one)
    ]
    assert statuses == [404, 200]


@modes
def test_a_cancelled_call_leaves_the_server_well(serve: Serve, mode: Mode) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def wait(_messages: Any) -> str:
        begun.set()
        go_on.wait(30)
        return "Final Answer: NOT_FOUND"

    served = serve(wait)

    async def run() -> Any:
        async with served.client(mode=mode) as client:
            asking = asyncio.create_task(client.call_tool("ask", {"question": QUESTION}))
            await asyncio.to_thread(begun.wait, 30)
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            listed = await client.call_tool("list_documents", {})
            go_on.set()
            return listed

    assert asyncio.run(run()).structured_content["total"] == 2
    assert served.call("list_documents", {}, mode=mode).structured_content["total"] == 2
