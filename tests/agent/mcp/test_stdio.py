import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from agent.settings import Settings
from retrieval.knowledge_base import KnowledgeBase
from tests.agent.conftest import LEAVE, VPN
from tests.agent.mcp.conftest import BOARD, error_of, text_of
from tests.agent.terminal import CTRL_C, ROOT, Terminal
from tests.fakes import CharacterEmbedder, copied

SERVER = """
import logging, sys
import agent.assistant, retrieval.knowledge_base
from agent.cli import main
from tests.fakes import CharacterEmbedder, copied

class Noisy(CharacterEmbedder):
    def embed_query(self, text):
        print("loading", flush=True)
        sys.__stdout__.write("more of it\\n")
        logging.getLogger("noise").error("a log")
        import os
        os.system("echo from a child")
        return super().embed_query(text)

retrieval.knowledge_base.open_embedder = lambda settings: Noisy()
sys.argv = ["folio", "mcp", *{arguments!r}]
main()
"""


STUCK = """
import threading
import agent.executor
from tests.fakes import ScriptedChatModel

def never(_messages):
    sys.stderr.write("asked\\n")
    sys.stderr.flush()
    threading.Event().wait()

agent.executor.open_chat_model = lambda *_: ScriptedChatModel(replies=[never])
"""


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a home with two documents for all and one for the board, which no test uses itself."""
    settings = Settings(home=tmp_path_factory.mktemp("indexed") / "home", rerank="none")
    with KnowledgeBase.open(settings, embedder=CharacterEmbedder()) as base:
        for name, text in (("leave.md", LEAVE), ("vpn_en.md", VPN), ("board.md", BOARD)):
            base.ingest_data(text.encode(), name)
    return settings.home


@pytest.fixture
def home(indexed: Path, tmp_path: Path) -> Path:
    """Return a home with these documents."""
    return copied(indexed, tmp_path / "home")


@pytest.fixture
def command(home: Path) -> Callable[..., dict[str, Any]]:
    """Return a function that gives how a client starts the server."""

    def of(*arguments: str, **environment: str) -> dict[str, Any]:
        variables = {"PYTHONPATH": str(ROOT), "FOLIO_HOME": str(home), "FOLIO_RERANK": "none", **environment}
        return {
            "command": sys.executable,
            "args": ["-c", SERVER.format(arguments=arguments)],
            "env": variables,
            "cwd": str(home.parent),
        }

    return of


BEGIN = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}


def begun(started: dict[str, Any], code: str) -> "subprocess.Popen[str]":
    """Return the running command, with pipes to and from it."""
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    command = [started["command"], "-c", code]
    return subprocess.Popen(command, env=started["env"], cwd=started["cwd"], encoding="utf-8", **pipes)


def message(number: int, method: str, **params: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}, ensure_ascii=False) + "\n"


def test_a_client_asks_on_behalf_of_its_groups(command: Callable[..., dict[str, Any]], home: Path) -> None:
    async def run() -> tuple[Any, ...]:
        async with Client(StdioServerParameters(**command("--viewer", "board"))) as client:
            with KnowledgeBase.open(Settings(home=home, rerank="none"), embedder=CharacterEmbedder()):
                refused = await client.call_tool("knowledge_search", {"query": "年假"})
            # The server goes on.
            listed = await client.call_tool("list_documents", {})
            chinese = await client.call_tool("ask", {"question": "转正员工年假有几天？", "session": "s"})
            english = await client.call_tool("ask", {"question": "When are VPN sessions closed?"})
            follow_up = await client.call_tool("ask", {"question": "那病假呢？", "session": "s"})
            return refused, listed, chinese, english, follow_up

    refused, listed, chinese, english, follow_up = asyncio.run(run())
    assert "is in use by process" in error_of(refused)
    names = [document["source"] for document in listed.structured_content["documents"]]
    assert names == ["board.md", "leave.md", "vpn_en.md"]
    assert "转正员工年假 12 天。 [S1]\n\n来源：\n  [S1] leave.md › 年假" in text_of(chinese)
    assert "VPN sessions are closed after 45 minutes of inactivity. [S1]\n\nSources:\n" in text_of(english)
    assert [source["source"] for source in english.structured_content["sources"]] == ["vpn_en.md"]
    assert follow_up.structured_content["usage"]["tool_calls"] == 2


def test_nothing_but_messages_goes_to_standard_output(command: Callable[..., dict[str, Any]]) -> None:
    calls = [
        ("ask", {"question": "转正员工年假有几天？"}),
        ("knowledge_search", {"query": "VPN"}),
        ("list_documents", {}),
        ("read_section", {"document": "leave.md"}),
        ("nosuch", {}),
    ]
    lines = [
        message(0, "initialize", **BEGIN),
        '{"jsonrpc": "2.0", "method": "notifications/initialized"}\n',
        message(1, "tools/list"),
        *(message(number, "tools/call", name=name, arguments=given) for number, (name, given) in enumerate(calls, 2)),
    ]
    started = command(PYTHONIOENCODING="gbk")
    server = begun(started, started["args"][1])
    assert server.stdin
    assert server.stdout
    answers = {}
    for line in lines:
        server.stdin.write(line)
        server.stdin.flush()
        if '"id"' in line:
            # Each line, whatever the tools print, is one message.
            answer = json.loads(server.stdout.readline())
            assert answer["jsonrpc"] == "2.0"
            answers[answer["id"]] = answer["result"]
    rest, logged = server.communicate(timeout=60)
    assert (server.returncode, rest) == (0, "")
    assert sorted(answers) == list(range(7))
    assert answers[0]["serverInfo"]["name"] == "folio"
    assert answers[2]["structuredContent"]["sources"][0]["source"] == "leave.md"
    listed = answers[4]["structuredContent"]["documents"]
    assert [document["source"] for document in listed] == ["leave.md", "vpn_en.md"]
    assert [answers[number].get("isError", False) for number in range(2, 7)] == [False] * 4 + [True]
    for noise in ("loading\n", "more of it\n", "ERROR noise: a log\n", "from a child\n"):
        assert noise in logged


def test_a_call_under_way_does_not_outlive_the_client(command: Callable[..., dict[str, Any]], home: Path) -> None:
    started = command()
    code = started["args"][1].replace("sys.argv =", STUCK + "sys.argv =")
    server = begun(started, code)
    assert server.stdin
    assert server.stderr
    server.stdin.write(message(0, "initialize", **BEGIN))
    server.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
    server.stdin.write(message(1, "tools/call", name="ask", arguments={"question": "年假？", "session": "s"}))
    server.stdin.flush()
    assert any(line == "asked\n" for line in server.stderr)
    # The model never answers: without being ended, it would never end.
    _, logged = server.communicate(timeout=60)
    assert (server.returncode, "Traceback" in logged) == (0, False)
    with KnowledgeBase.open(Settings(home=home, rerank="none"), embedder=CharacterEmbedder()) as base:
        assert len(base.documents()) == 3


@pytest.mark.soak
def test_a_person_at_a_terminal_is_told_and_can_end_it(command: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    started = command()
    with Terminal(started["args"][1], tmp_path, started["env"]) as terminal:
        terminal.wait_for("Folio waits for the messages of an MCP client on standard input; Ctrl-C ends it.")
        terminal.type(CTRL_C)
        assert terminal.wait_for_end() == -signal.SIGINT
