"""A server with the tools over a small knowledge base, asked with the client of the SDK."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, nullcontext
from typing import Any, Literal

import pytest
from mcp import Client
from mcp.types import CallToolResult

from agent.assistant import Assistant
from agent.mcp.server import create_server
from agent.mcp.tools import Call, Waiting
from agent.sessions.store import SessionStore
from agent.settings import Settings
from retrieval.knowledge_base import KnowledgeBase
from tests.agent.conftest import LEAVE, VPN
from tests.agent.http.conftest import ANSWER, SEARCH, restricted
from tests.fakes import CharacterEmbedder, ScriptedChatModel

BOARD = restricted("board")

Mode = Literal["auto", "legacy"]
Connect = Callable[..., Any]


@pytest.fixture(scope="session")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    """Return a base that no test changes: two documents for all and one for the board."""
    home = tmp_path_factory.mktemp("mcp") / "home"
    with KnowledgeBase.open(Settings(home=home, rerank="none"), embedder=CharacterEmbedder()) as base:
        for name, text in (("hr/leave.md", LEAVE), ("vpn_en.md", VPN), ("hr/board.md", BOARD)):
            assert not base.ingest_data(text.encode(), name).failed
        yield base


@pytest.fixture
def assistant_with(documents: KnowledgeBase, tmp_path: Any) -> Iterator[Callable[..., Assistant]]:
    """Return a function that makes an assistant whose model gives these replies, one a call, the last for ever."""
    opened: list[SessionStore] = []

    def make(*replies: Any) -> Assistant:
        opened.append(SessionStore.in_folder(tmp_path / "home"))
        settings = Settings(home=tmp_path / "home", chat_model="scripted", openai_base_url="http://127.0.0.1:9/v1")
        return Assistant(settings, documents, ScriptedChatModel(replies=replies or (SEARCH, ANSWER)), opened[-1])

    yield make
    for sessions in opened:
        sessions.close()


@pytest.fixture
def connect(assistant_with: Callable[..., Assistant]) -> Connect:
    """Return a function that connects a client to a server in this process, as a context manager."""

    @asynccontextmanager
    async def client(
        *replies: Any, viewer: tuple[str, ...] = (), mode: Mode = "auto", at_once: int = 4
    ) -> AsyncIterator[Client]:
        assistant = assistant_with(*replies)

        def make_call(_context: object, waiting: Waiting) -> Call:
            return Call(lambda: nullcontext(assistant), viewer, lambda session: session, waiting)

        async with Client(create_server(make_call, at_once=at_once), mode=mode) as connected:
            yield connected

    return client


def text_of(result: CallToolResult) -> str:
    """Return the text of a result, which is all of its content."""
    (block,) = result.content
    assert block.type == "text"
    return block.text


def error_of(result: CallToolResult) -> str:
    """Return the one line of a tool error."""
    assert result.is_error
    assert result.structured_content is None
    assert "\n" not in text_of(result)
    return text_of(result)
