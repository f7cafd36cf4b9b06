"""One list of questions through every door: each gives the same answers from the same sources."""

import asyncio
import io
import json
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from mcp import Client

from agent import cli
from agent.assistant import Assistant
from agent.evidence import format_place
from agent.http.keys import open_database
from agent.mcp.endpoint import create_app
from agent.mcp.server import create_server
from agent.mcp.tools import Call, Waiting
from agent.question import without_address
from agent.settings import load_settings
from retrieval.knowledge_base import KnowledgeBase
from retrieval.text.writing import language_of
from tests.agent.conftest import LEAVE, VPN
from tests.fakes import CharacterEmbedder

TRAVEL = "# 差旅制度\n\n## 住宿\n\n普通员工每晚住宿限额 500 元。经理每晚住宿限额 800 元。\n"
QUESTIONS = (
    "转正员工年假有几天？",
    "那试用期员工呢？",
    "When are VPN sessions closed?",
    "kb: after how many minutes of inactivity are VPN sessions closed?",
    "知识库：普通员工每晚住宿限额是多少？",
    "那经理呢？",
    "公司的停车位怎么申请？",
    "What does error ERR_9999 mean?",
)
"""In Chinese and English; follow-ups, addressed ones, and two that no document answers."""


@dataclass(frozen=True)
class Told:
    """What a person learns from an answer."""

    answer: str
    refused: bool
    reason: str | None
    sources: tuple[tuple[str, str, str], ...]
    """Label, document and quotation."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a home with three documents."""
    folder = tmp_path_factory.mktemp("parity")
    with KnowledgeBase.open(load_settings(home=folder / "home"), embedder=CharacterEmbedder()) as base:
        for name, text in (("leave.md", LEAVE), ("vpn_en.md", VPN), ("travel.md", TRAVEL)):
            assert not base.ingest_data(text.encode(), name).failed
    return folder / "home"


@pytest.fixture
def command(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Return the command, run in this process."""
    monkeypatch.setattr("retrieval.knowledge_base.open_embedder", lambda _settings: CharacterEmbedder())
    monkeypatch.setenv("FOLIO_HOME", str(home))

    def run(*arguments: str, piped: str = "") -> str:
        monkeypatch.setattr(sys, "argv", ["folio", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(piped.encode()), encoding="utf-8"))
        with pytest.raises(SystemExit) as exited:
            cli.main()
        assert not exited.value.code
        return capsys.readouterr().out

    return run


@pytest.fixture
def assistant(home: Path, command: object) -> Iterator[Assistant]:
    """Return the assistant behind the servers."""
    with Assistant.open(load_settings()) as opened:
        yield opened


@pytest.fixture
def client(assistant: Assistant) -> Iterator[TestClient]:
    """Return a client of the HTTP server."""
    database = open_database(assistant.settings)
    app = create_app(assistant, database, on_loopback=True)
    with TestClient(app, base_url="http://127.0.0.1") as opened:
        yield opened
    database.dispose()


def told(reply: dict[str, Any]) -> Told:
    """Return what a reply in the form of the HTTP server says."""
    sources = tuple((source["id"], source["source"], source["quote"]) for source in reply["sources"])
    return Told(reply["answer"], reply["refused"], reply["reason"], sources)


def shown(question: str, answer: dict[str, Any]) -> str:
    """Return an answer of the command line as text: with its sources under it, in the language of the question."""
    if not answer["citations"]:
        return str(answer["answer"])
    chinese = language_of(without_address(question)) == "zh"
    lines = [
        f"  [{one['label']}] "
        + format_place(one["source"], one["section"].replace(" > ", " › "), one["page"], chinese=chinese)
        for one in answer["citations"]
    ]
    return "\n".join([answer["answer"], "", "来源：" if chinese else "Sources:", *lines])


def test_every_door_answers_alike(command: Callable[..., str], request: pytest.FixtureRequest) -> None:
    answers = [json.loads(command("ask", question, "--session", "cli", "--json")) for question in QUESTIONS]
    expected = [
        Told(
            one["answer"],
            one["refused"],
            one["reason"],
            tuple((citation["label"], citation["source"], citation["quote"]) for citation in one["citations"]),
        )
        for one in answers
    ]
    # The list is worth asking: it has answers and refusals, and the follow-ups are understood.
    assert [one.refused for one in expected] == [False] * 6 + [True] * 2
    names = [name for one in expected for _, name, _ in one.sources]
    assert names == ["leave.md", "leave.md", "vpn_en.md", "vpn_en.md", "travel.md", "travel.md"]
    texts = [shown(*each) for each in zip(QUESTIONS, answers, strict=True)]

    assert command("chat", "--session", "chat", piped="\n".join(QUESTIONS)) == "".join(f"{text}\n\n" for text in texts)

    client: TestClient = request.getfixturevalue("client")
    replies = [
        client.post("/api/chat", json={"question": question, "session": "http"}).json() for question in QUESTIONS
    ]
    assert [told(reply) for reply in replies] == expected
    assert [told(reply) for reply in streamed(client)] == expected

    completions = [
        client.post(
            "/v1/chat/completions",
            json={"model": "folio", "user": "u", "messages": [{"role": "user", "content": question}]},
        ).json()
        for question in QUESTIONS
    ]
    assert [one["choices"][0]["message"]["content"] for one in completions] == texts
    assert [one["folio"]["sources"] for one in completions] == [reply["sources"] for reply in replies]

    for mode in ("auto", "legacy"):
        results = asyncio.run(over_mcp(request.getfixturevalue("assistant"), mode))
        assert [told(result.structured_content) for result in results] == expected
        assert [result.content[0].text for result in results] == texts


def streamed(client: TestClient) -> list[dict[str, Any]]:
    """Return the last event of each answer, to which its pieces must add up."""
    replies = []
    for question in QUESTIONS:
        body = {"question": question, "session": "sse", "stream": True}
        text = client.post("/api/chat", json=body).text
        events = [block.split("\n", 1) for block in text.split("\n\n") if block.startswith("event: ")]
        data = [(name.removeprefix("event: "), json.loads(line.removeprefix("data: "))) for name, line in events]
        assert data[-1][0] == "done"
        replies.append(data[-1][1])
        pieces = [piece for name, piece in data if name == "token"]
        last = [piece["text"] for piece in pieces if piece["draft"] == pieces[-1]["draft"]]
        assert "".join(last) == replies[-1]["answer"]
        assert [one for name, one in data if name == "sources"] == [{"sources": replies[-1]["sources"]}]
    return replies


async def over_mcp(assistant: Assistant, mode: Any) -> list[Any]:
    """Return the results of the tool."""
    async with connected(assistant, mode) as client:
        return [
            await client.call_tool("ask", {"question": question, "session": f"mcp-{mode}"}) for question in QUESTIONS
        ]


@asynccontextmanager
async def connected(assistant: Assistant, mode: Any) -> AsyncIterator[Client]:
    def make_call(_context: object, waiting: Waiting) -> Call:
        return Call(lambda: nullcontext(assistant), (), lambda session: session, waiting)

    async with Client(create_server(make_call, at_once=1), mode=mode) as client:
        yield client
