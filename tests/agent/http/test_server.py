import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from langchain_core.messages import BaseMessage

from agent.http.app import create_app
from agent.http.keys import KeyStore, open_database
from agent.http.server import listening, serve
from agent.settings import Settings, SettingsError
from tests.agent.http.conftest import ANSWER, MAIN, QUESTION, SEARCH, Serve

ROOT = Path(__file__).parents[3]


@pytest.fixture
def settings(tmp_path: Path) -> Callable[..., Settings]:
    """Return a function that makes settings of a server."""
    return lambda **http: Settings(home=tmp_path / "home", http=http, rerank="none")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "folio.example.org"])
def test_elsewhere_than_on_loopback_it_does_not_start_without_keys(
    settings: Callable[..., Settings], host: str
) -> None:
    given = settings(host=host)
    with pytest.raises(SettingsError, match="there are no keys; make one with folio keys add NAME, or serve on 127"):
        serve(given, create_app)
    # A key that was revoked lets nobody in.
    database = open_database(given)
    keys = KeyStore(database)
    keys.revoke(keys.add("desk")[0].id)
    database.dispose()
    with pytest.raises(SettingsError, match="there are no keys"):
        serve(given, create_app)


class Running:
    """A server in a thread of this process."""

    def __init__(self, app: Any) -> None:
        self._sock = listening("127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._sock.getsockname()[1]}"
        self.server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False))
        self._thread = threading.Thread(target=self.server.run, args=([self._sock],))
        self._thread.start()

    def stop(self) -> None:
        """Ask it to stop, as SIGTERM does."""
        self.server.should_exit = True

    def join(self) -> None:
        """Wait until it has stopped."""
        self._thread.join(30)
        assert not self._thread.is_alive()
        self._sock.close()


@pytest.fixture
def run() -> Iterator[Callable[[Any], Running]]:
    """Return a function that runs an app."""
    started: list[Running] = []

    def start(app: Any) -> Running:
        started.append(Running(app))
        return started[-1]

    yield start
    for running in started:
        running.stop()
        running.join()


@pytest.fixture
def slow(serve: Serve) -> Iterator[tuple[Any, threading.Event, threading.Event]]:
    """Return an app whose answers take until the second event, and say by the first that one is under way."""
    begun, goes_on = threading.Event(), threading.Event()

    def answer(messages: list[BaseMessage]) -> str:
        if "Observation:" not in str(messages[-1].text):
            return SEARCH
        begun.set()
        assert goes_on.wait(60)
        return ANSWER

    served = serve(answer)
    database = open_database(served.assistant.settings)
    yield create_app(served.assistant, database, on_loopback=True), begun, goes_on
    goes_on.set()
    database.dispose()


@pytest.mark.parametrize("stream", [False, True])
def test_answers_under_way_are_finished_before_it_stops(
    run: Callable[[Any], Running], slow: tuple[Any, threading.Event, threading.Event], stream: bool
) -> None:
    app, begun, goes_on = slow
    running = run(app)
    texts: list[str] = []

    def ask() -> None:
        body = {"question": QUESTION, "stream": stream}
        texts.append(httpx.post(f"{running.url}/api/chat", json=body, timeout=60).text)

    asking = threading.Thread(target=ask)
    asking.start()
    assert begun.wait(30)
    assert httpx.get(f"{running.url}/health").json()["status"] == "ok"
    running.stop()
    goes_on.set()
    asking.join(30)
    running.join()
    assert "转正员工年假 12 天。[S1]" in texts[0]
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{running.url}/health")


def test_a_request_cut_half_way_leaves_nothing_broken(run: Callable[[Any], Running], serve: Serve) -> None:
    served = serve(SEARCH, ANSWER, documents={})
    database = open_database(served.assistant.settings)
    running = run(create_app(served.assistant, database, on_loopback=True))
    host, port = running.url.removeprefix("http://").split(":")
    head = f"POST /api/documents HTTP/1.1\r\nHost: {host}\r\nContent-Type: multipart/form-data; boundary=b\r\n"
    part = '--b\r\nContent-Disposition: form-data; name="file"; filename="cut.md"\r\n\r\nhalf of'
    with socket.create_connection((host, int(port))) as client:
        client.sendall(f"{head}Content-Length: 500\r\n\r\n{part}".encode())
    for path in ("/health", "/api/documents"):
        assert httpx.get(f"{running.url}{path}").status_code == 200
    assert httpx.get(f"{running.url}/api/documents").json()["total"] == 0
    files = {"file": ("whole.md", b"# Whole\n\nA whole file.")}
    assert httpx.post(f"{running.url}/api/documents", files=files, timeout=60).status_code == 201
    running.stop()
    running.join()
    database.dispose()


@pytest.mark.parametrize("ending", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.soak)])
def test_the_command_serves_until_it_is_ended(tmp_path: Path, ending: signal.Signals) -> None:
    environment = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME")}
    environment |= {"PYTHONPATH": str(ROOT), "FOLIO_HOME": str(tmp_path / "home"), "FOLIO_RERANK": "none"}
    command = [sys.executable, "-c", MAIN]
    process = subprocess.Popen(
        [*command, "serve", "--port", "0"], cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr
    try:
        lines = []
        for line in process.stderr:
            lines.append(line)
            if "Application startup complete" in line:
                break
        url = next(line for line in lines if line.startswith("Folio answers at ")).split()[-1]
        response = httpx.post(f"{url}/api/chat", json={"question": "股票期权？"}, timeout=60)
        assert (response.status_code, response.json()["reason"]) == (200, "no_documents")
        assert "server" not in response.headers
        process.send_signal(ending)
        rest = process.communicate(timeout=60)[1]
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0
    assert f"[{response.headers['x-request-id']}] POST /api/chat 200 " in rest
    assert "Traceback" not in rest
    assert "股票期权" not in rest
