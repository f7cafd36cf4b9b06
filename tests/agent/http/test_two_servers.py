"""Two servers on one PostgreSQL and one Qdrant: the same documents, keys and sessions."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from agent.http.keys import KeyStore, open_database
from agent.settings import Settings
from tests.agent.conftest import LEAVE, VPN
from tests.agent.http.conftest import MAIN
from tests.postgres import Postgres
from tests.retrieval.store.fake_qdrant import running

ROOT = Path(__file__).parents[3]
Start = Callable[[str], subprocess.Popen[str]]


@pytest.fixture
def environment(postgres_server: Postgres) -> Iterator[dict[str, str]]:
    """Return the variables that both servers are started with."""
    with running() as qdrant:
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME")}
        yield kept | {
            "PYTHONPATH": str(ROOT),
            "OMP_NUM_THREADS": "1",
            "FOLIO_DATABASE_URL": postgres_server.new_database(),
            "FOLIO_QDRANT_URL": qdrant.url,
            "FOLIO_RERANK": "none",
            "FOLIO_HTTP__BACKGROUND_MB": "0.002",
        }


@pytest.fixture
def servers(environment: dict[str, str], tmp_path: Path) -> Iterator[list[str]]:
    """Return the addresses of two servers, started at the same time on an empty database."""
    command = [sys.executable, "-c", MAIN, "serve", "--port", "0"]
    with ExitStack() as stop:
        processes = []
        for name in ("one", "other"):
            here = {"cwd": tmp_path, "env": environment | {"FOLIO_HOME": str(tmp_path / name)}}
            processes.append(subprocess.Popen(command, stderr=subprocess.PIPE, text=True, **here))  # type: ignore[call-overload]
            stop.callback(_end, processes[-1])
        yield [_address(process) for process in processes]


def _address(process: "subprocess.Popen[str]") -> str:
    assert process.stderr
    lines = []
    for line in process.stderr:
        lines.append(line)
        if line.startswith("Folio answers at "):
            return line.split()[-1].rstrip("/")
    raise AssertionError("".join(lines))


def _end(process: "subprocess.Popen[str]") -> None:
    process.terminate()
    process.communicate(timeout=60)


@pytest.mark.enable_socket
def test_a_session_begun_on_one_goes_on_in_the_other(servers: list[str], environment: dict[str, str]) -> None:
    database = open_database(Settings(database_url=environment["FOLIO_DATABASE_URL"]))  # type: ignore[arg-type]
    _, written = KeyStore(database).add("desk", "write")
    _, others = KeyStore(database).add("other")
    database.dispose()
    headers = {"Authorization": f"Bearer {written}"}

    def call(server: int, method: str, path: str, expected: int = 200, **sent: Any) -> Any:
        sent.setdefault("headers", headers)
        response = httpx.request(method, f"{servers[server]}{path}", timeout=60, **sent)
        assert response.status_code == expected, response.text
        return response.json()

    for server, (name, text) in enumerate({"leave.md": LEAVE, "vpn.md": VPN}.items()):
        call(server, "POST", "/api/documents", 201, files={"file": (name, text.encode())})
    for server in (0, 1):
        listed = call(server, "GET", "/api/documents")
        assert sorted(document["filename"] for document in listed["documents"]) == ["leave.md", "vpn.md"]

    first = call(0, "POST", "/api/chat", json={"question": "试用期员工年假有几天？"})
    assert "试用期员工年假 5 天。" in first["answer"]
    session = first["session"]
    # It stands alone only in the light of what was asked there.
    second = call(1, "POST", "/api/chat", json={"question": "那转正员工呢？", "session": session})
    assert "转正员工年假 12 天。" in second["answer"]
    for server in (0, 1):
        turns = call(server, "GET", f"/api/sessions/{session}")["turns"]
        assert [turn["question"] for turn in turns] == ["试用期员工年假有几天？", "那转正员工呢？"]
        assert call(server, "GET", "/api/sessions")["sessions"] == [session]
        stranger = {"headers": {"Authorization": f"Bearer {others}"}}
        call(server, "GET", f"/api/sessions/{session}", 404, **stranger)
        body = {"question": "那病假呢？", "session": session}
        call(server, "POST", "/api/chat", 404, json=body, **stranger)

    # How it came about is kept with it.
    trace = call(1, "GET", f"/api/traces/{first['trace_id']}")
    assert (trace["session"], trace["question"]) == (session, "试用期员工年假有几天？")
    call(1, "GET", f"/api/traces/{first['trace_id']}", 404, **stranger)

    # What changes on one is known on the other, and that the answer no longer holds.
    new = LEAVE.replace("5 天", "6 天").encode()
    call(0, "POST", "/api/documents", files={"file": ("leave.md", new)}, data={"replace": "true"})
    third = call(1, "POST", "/api/chat", json={"question": "试用期员工年假有几天？", "session": session})
    assert "试用期员工年假 6 天。" in third["answer"]
    assert third["notices"][0] == "提示：先前“试用期员工年假有几天？”的回答已不再成立：leave.md 已更改。"

    # Either says where an upload is that the other brings in.
    files = {"file": ("long.md", b"# Lifts\n\n" + b"Every lift is inspected twice a year. " * 60)}
    url = call(0, "POST", "/api/documents", 202, files=files)["status_url"]
    while (state := call(1, "GET", url))["status"] in ("waiting", "running"):
        time.sleep(0.05)
    assert (state["status"], state["document"]["filename"], state["problem"]) == ("done", "long.md", None)
    call(1, "GET", url, 403, **stranger)

    # A session that is deleted leaves no trace on either.
    assert httpx.delete(f"{servers[1]}/api/sessions/{session}", headers=headers, timeout=60).status_code == 204
    for server in (0, 1):
        call(server, "GET", f"/api/sessions/{session}", 404)
        for answer in (first, second, third):
            call(server, "GET", f"/api/traces/{answer['trace_id']}", 404)
