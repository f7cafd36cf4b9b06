"""LangSmith and OpenTelemetry are told of a question where their variables say so, and nobody is otherwise."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from agent.settings import load_settings
from agent.traces import observed
from agent.traces.observed import NotObservable, check_observable
from tests.agent.chat_server import ChatServer, Raw
from tests.agent.conftest import ANSWER, SEARCH

ROOT = Path(__file__).parents[3]
KEY, PASSWORD, EXTRA = "sk-0123456789", "pass-0123456789", "extra-0123456789"

ASK = """
from agent.assistant import Assistant
from agent.sessions.store import SessionStore
from agent.settings import load_settings
from retrieval.knowledge_base import KnowledgeBase
from tests.agent.conftest import LEAVE
from tests.fakes import CharacterEmbedder
settings = load_settings()
with KnowledgeBase.open(settings, embedder=CharacterEmbedder()) as base:
    base.ingest_data(LEAVE.encode(), "leave.md")
    with Assistant(settings, base, None, SessionStore.in_memory()) as assistant:
        for _ in range(2):
            try:
                print(assistant.ask("转正员工年假有几天？").answer)
            except Exception as error:
                print(error)
"""


Observer = tuple[str, list[tuple[str, bytes]]]


@pytest.fixture
def observer() -> Iterator[Observer]:
    """Return the address of a server that takes whatever it is told, and what it was told."""
    told: list[tuple[str, bytes]] = []

    class Handler(BaseHTTPRequestHandler):
        def _take(self) -> None:
            told.append((self.path, self.rfile.read(int(self.headers.get("Content-Length") or 0))))
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        do_GET = do_POST = do_PATCH = _take  # noqa: N815  names of the base class

        def log_message(self, *_arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", told
        server.shutdown()
        thread.join()


@pytest.mark.enable_socket
@pytest.mark.parametrize(
    ("variables", "paths", "in_file"),
    [
        ({"LANGSMITH_TRACING": "true"}, {"/info", "/runs/multipart"}, True),
        ({"LANGSMITH_TRACING": "true", "LANGSMITH_TRACING_MODE": "otel"}, {"/v1/traces"}, False),
        ({}, set(), False),
    ],
    ids=["langsmith by the file", "opentelemetry", "nobody"],
)
def test_who_asked_for_it_is_told_and_never_a_secret(
    tmp_path: Path, observer: Observer, variables: dict[str, str], paths: set[str], in_file: bool
) -> None:
    if "LANGSMITH_TRACING_MODE" in variables:
        pytest.importorskip("opentelemetry.exporter.otlp.proto.http")

    def refused(_body: dict[str, object]) -> Raw:
        return Raw(400, f'{{"error": {{"message": "bad: Bearer {KEY}, {EXTRA}, http://me:{PASSWORD}@host"}}}}')

    url, told = observer
    with ChatServer([SEARCH, ANSWER, refused]) as server:
        environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ} | {
            "PYTHONPATH": str(ROOT),
            "FOLIO_HOME": str(tmp_path / "home"),
            "FOLIO_RERANK": "none",
            "FOLIO_CHAT_MODEL": "m",
            "FOLIO_CHAT_EXTRA_BODY": f'{{"api_key": "{EXTRA}"}}',
            "OPENAI_API_KEY": KEY,
            "OPENAI_BASE_URL": server.url,
            "HTTPS_PROXY": f"http://me:{PASSWORD}@127.0.0.1:9",
        }
        own = {
            "LANGSMITH_ENDPOINT": url,
            "LANGSMITH_API_KEY": "lsv2-key",
            "OTEL_EXPORTER_OTLP_ENDPOINT": url,
            **variables,
        }
        if in_file:
            lines = "".join(f"{name}={value}\n" for name, value in own.items())
            (tmp_path / ".env").write_text(lines, encoding="utf-8")
        else:
            environment |= own
        command = [sys.executable, "-c", ASK]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("转正员工年假 12 天。[S1]\nthe chat model 'm' at 127.0.0.1")
    assert {path for path, _ in told} == paths
    bodies = b"".join(body for _, body in told)
    assert ("转正员工年假有几天".encode() in bodies) == bool(paths)
    assert not [secret for secret in (KEY, PASSWORD, EXTRA) if secret.encode() in bodies]


ON = {"LANGSMITH_TRACING": "true"}


@pytest.mark.parametrize(
    ("variables", "asked"),
    [
        (ON | {"LANGSMITH_TRACING_MODE": "otel"}, True),
        ({"LANGCHAIN_TRACING_V2": "true", "LANGCHAIN_OTEL_ONLY": "true"}, True),
        (ON | {"LANGSMITH_TRACING_MODE": "langsmith", "LANGSMITH_OTEL_ENABLED": "true"}, False),
        (ON, False),
        ({"LANGSMITH_TRACING": "false", "LANGSMITH_TRACING_MODE": "otel"}, False),
    ],
)
def test_opentelemetry_that_is_not_installed_is_said_before_anything_goes_elsewhere(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], asked: bool
) -> None:
    monkeypatch.setattr(observed.importlib.util, "find_spec", lambda _name: None)
    monkeypatch.setattr(os, "environ", variables)
    if asked:
        with pytest.raises(NotObservable, match=r"not installed: pip install 'folio\[otel\]', or unset it$"):
            check_observable()
    else:
        check_observable()


def test_a_file_speaks_to_them_and_the_environment_wins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(os, "environ", {"OTEL_SERVICE_NAME": "mine"})
    file = tmp_path / "some.env"
    file.write_text("LANGSMITH_PROJECT=制度\nOTEL_SERVICE_NAME=theirs\nLANGCHAIN_TAGS=\nOTHER=1\n", encoding="utf-8")
    load_settings(file)
    assert os.environ["LANGSMITH_PROJECT"] == "制度"
    assert os.environ["OTEL_SERVICE_NAME"] == "mine"
    assert not {"LANGCHAIN_TAGS", "OTHER"} & os.environ.keys()
