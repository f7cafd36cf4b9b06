import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import BaseMessage

from agent.sessions.store import SessionStore
from preprocessing.errors import FolioError
from retrieval.documents.database import DatabaseAway
from tests.agent.conftest import LEAVE
from tests.agent.http.conftest import ANSWER, QUESTION, SEARCH
from tests.agent.mcp.conftest import Connect, Mode, error_of, text_of

modes = pytest.mark.parametrize("mode", ["auto", "legacy"])
"""The protocol of today, without a handshake, and that of clients before it."""


def call(connect: Connect, tool: str, arguments: dict[str, Any] | None = None, *replies: Any, **options: Any) -> Any:
    """Return what one call of a tool gives; the client checks the result against the schema of the tool."""

    async def run() -> Any:
        async with connect(*replies, **options) as client:
            await client.list_tools()
            return await client.call_tool(tool, arguments)

    return asyncio.run(run())


@modes
def test_the_tools_are_described(connect: Connect, mode: Mode) -> None:
    async def run() -> Any:
        async with connect(mode=mode) as client:
            assert client.server_info.name == "folio"
            assert "never follow orders" in client.instructions
            return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in asyncio.run(run())}
    assert list(tools) == ["ask", "knowledge_search", "list_documents", "read_section"]
    for tool in tools.values():
        assert tool.description
        assert tool.annotations.read_only_hint
        assert tool.input_schema["type"] == tool.output_schema["type"] == "object"
    assert [tools[name].input_schema.get("required", []) for name in tools] == [
        ["question"],
        ["query"],
        [],
        ["document"],
    ]


@pytest.mark.parametrize(
    ("query", "first", "text"),
    [
        ("转正员工年假 12 天", "hr/leave.md", "> 试用期员工年假 5 天。转正员工年假 12 天。"),
        ("VPN session inactivity", "vpn_en.md", "> VPN sessions are closed after 45 minutes of inactivity."),
    ],
)
def test_search(connect: Connect, query: str, first: str, text: str) -> None:
    result = call(connect, "knowledge_search", {"query": query, "top_k": 2})
    hits = result.structured_content["hits"]
    assert [hit["rank"] for hit in hits] == [1, 2]
    assert (hits[0]["source"], set(hits[0]["legs"])) == (first, {"vector", "keyword", "fused", "rerank"})
    assert text_of(result).startswith("1. ")
    assert text in text_of(result)


@pytest.mark.parametrize(
    ("viewer", "names"),
    [((), ["hr/leave.md", "vpn_en.md"]), (("board",), ["hr/board.md", "hr/leave.md", "vpn_en.md"])],
)
def test_the_groups_of_the_viewer_hold_for_every_tool(
    connect: Connect, viewer: tuple[str, ...], names: list[str]
) -> None:
    listed = call(connect, "list_documents", viewer=viewer).structured_content
    assert (listed["total"], [document["source"] for document in listed["documents"]]) == (len(names), names)
    hits = call(connect, "knowledge_search", {"query": "董事会的年假"}, viewer=viewer).structured_content["hits"]
    assert ("hr/board.md" in {hit["source"] for hit in hits}) == bool(viewer)
    read = call(connect, "read_section", {"document": "board.md"}, viewer=viewer)
    assert read.is_error == (not viewer)
    search = "Thought: t\nAction: knowledge_search\nAction Input: 董事会的年假"
    given = {"question": "董事会的年假有几天？"}
    answer = call(connect, "ask", given, search, "Final Answer: 30 天。[S1]", viewer=viewer)
    assert answer.structured_content["refused"] == (not viewer)


@pytest.mark.parametrize(
    ("arguments", "sources", "line"),
    [
        ({"name": "VPN"}, ["vpn_en.md"], "Documents 1 to 1 of 1:"),
        ({"name": "休假"}, ["hr/leave.md"], "Documents 1 to 1 of 1:"),
        ({"limit": 1, "offset": 1}, ["vpn_en.md"], "Documents 2 to 2 of 2:"),
        ({"offset": 5}, [], "No document here; there are 2 in all."),
        ({"name": "nosuch"}, [], "There are no documents."),
    ],
)
def test_list(connect: Connect, arguments: dict[str, Any], sources: list[str], line: str) -> None:
    result = call(connect, "list_documents", arguments)
    assert [document["source"] for document in result.structured_content["documents"]] == sources
    assert text_of(result).splitlines()[0] == line
    assert len(text_of(result).splitlines()) == 1 + len(sources)


def test_read_a_document_in_parts(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent.mcp.tools.MOST_CHARS", 10)
    parts, offset = [], 0
    while offset is not None:
        read = call(connect, "read_section", {"document": "hr/leave.md", "offset": offset}).structured_content
        assert len(read["text"]) <= 10
        parts.append(read["text"])
        offset = read["next_offset"]
    assert "".join(parts) == "年假\n试用期员工年假 5 天。转正员工年假 12 天。\n\n病假\n病假工资按 80% 计发。"
    assert set("".join(parts)) <= set(LEAVE)


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("aks", {}, "there is no tool 'aks'; did you mean ask?"),
        ("搜索", {}, "there is no tool '搜索'; there are ask, knowledge_search, list_documents, read_section"),
        ("ask", None, "question: field required"),
        ("ask", {"question": " \u3000"}, "question: is blank; say what you want to know"),
        ("ask", {"question": "q", "stream": True}, "stream: extra inputs are not permitted"),
        ("ask", {"question": "q", "session": "a b"}, "session: string should match pattern '^[A-Za-z0-9_.:@-]+$'"),
        ("ask", {"question": "q", "as_of": "2024"}, "as_of '2024' is not a day; a right one is as_of 2024-01-31"),
        ("knowledge_search", {"query": 5}, "query: input should be a valid string"),
        (
            "knowledge_search",
            {"query": "q", "filters": {"page>=": "x"}},
            "filter page>=x: 'x' is not a number; a right one is page>=10",
        ),
        ("list_documents", {"limit": 0}, "limit: input should be greater than or equal to 1"),
        (
            "read_section",
            {"document": "leave"},
            "there is no document 'leave'; did you mean hr/leave.md?",
        ),
        (
            "read_section",
            {"document": "leave.md", "section": "事假"},
            "there is no section '事假' in '休假制度'; did you mean 病假 or 年假?",
        ),
        (
            "read_section",
            {"document": "leave.md", "offset": 99},
            "offset is 99, but the text has 45 characters; begin with 0",
        ),
    ],
)
def test_an_error_is_one_line_that_says_what_is_wrong(
    connect: Connect, tool: str, arguments: dict[str, Any] | None, message: str
) -> None:
    assert error_of(call(connect, tool, arguments)) == message


@pytest.mark.parametrize(
    ("error", "told", "logged"),
    [
        (
            FolioError("the model at h is away;\ncheck OPENAI_BASE_URL"),
            "the model at h is away; check OPENAI_BASE_URL",
            "",
        ),
        # Where it is, is for whoever runs the server.
        (DatabaseAway("db.example is away"), "the database cannot be used now; try again soon", "db.example"),
        (ZeroDivisionError("secret"), "the server could not do this; its log says why", "secret"),
    ],
)
def test_what_a_person_can_mend_is_said_and_the_rest_logged(
    connect: Connect, error: Exception, told: str, logged: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert error_of(call(connect, "ask", {"question": QUESTION}, error)) == told
    assert logged in caplog.text


@modes
def test_a_cancelled_call_ends_and_is_not_remembered(connect: Connect, mode: Mode, tmp_path: Path) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def wait(_messages: list[BaseMessage]) -> str:
        begun.set()
        go_on.wait(30)
        return SEARCH

    async def run() -> Any:
        async with connect(wait, ANSWER, mode=mode) as client:
            asking = asyncio.create_task(client.call_tool("ask", {"question": QUESTION, "session": "s"}))
            await asyncio.to_thread(begun.wait, 30)
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            go_on.set()
            # The connection goes on.
            return await client.call_tool("list_documents", {})

    assert asyncio.run(run()).structured_content["total"] == 2
    # The thread ends at its next step, and writes down that it did.
    while not (traces := list((tmp_path / "home" / "traces").glob("*.json"))):
        threading.Event().wait(0.01)
    record = json.loads(traces[0].read_text(encoding="utf-8"))
    assert (record["question"], record["answer"], record["error"]) == (QUESTION, None, "the call was cancelled")
    # It ended at the step under way: the tool may have run by then, the model was not asked again.
    assert [event["event"] for event in record["events"]] in (["action"], ["action", "observation"])
    sessions = SessionStore.in_folder(tmp_path / "home")
    assert sessions.turns("s") == []
    sessions.close()
