"""A server over a small knowledge base of its own, with a scripted model."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from agent.assistant import Assistant
from agent.http.app import create_app
from agent.http.keys import KeyStore, open_database
from agent.http_settings import HttpSettings
from agent.sessions.store import SessionStore
from agent.settings import Settings
from retrieval.knowledge_base import KnowledgeBase
from tests.agent.conftest import LEAVE, VPN
from tests.fakes import CharacterEmbedder, ScriptedChatModel

SEARCH = "Thought: 要查。\nAction: knowledge_search\nAction Input: 转正员工年假"
ANSWER = "Thought: 有了。\nFinal Answer: 转正员工年假 12 天。[S1]"
QUESTION = "转正员工年假有几天？"
BOARD = "# 董事会\n\n董事会的年假另行规定，为 30 天。\n"


@dataclass
class Served:
    """What a test asks, and what is behind it."""

    client: TestClient
    assistant: Assistant
    keys: KeyStore
    known: dict[str, str] = field(default_factory=dict)

    def key(self, name: str, role: str = "read", groups: tuple[str, ...] = ()) -> dict[str, str]:
        """Return the headers of a key, made when it is first named."""
        if name not in self.known:
            _, self.known[name] = self.keys.add(name, role, groups)
        return {"Authorization": f"Bearer {self.known[name]}"}

    def upload(self, filename: str, text: str | bytes, headers: dict[str, str] | None = None, **data: str) -> Any:
        """Send a file."""
        body = text.encode() if isinstance(text, str) else text
        return self.client.post("/api/documents", files={"file": (filename, body)}, data=data, headers=headers)

    def id_of(self, filename: str) -> str:
        """Return the id of the document with that file name."""
        records = self.assistant.knowledge_base.documents()
        return next(record.doc_id for record in records if record.source.endswith(filename))


Serve = Callable[..., Served]

MAIN = """
import retrieval.knowledge_base
from agent.cli import main
from tests.fakes import CharacterEmbedder

retrieval.knowledge_base.open_embedder = lambda _settings: CharacterEmbedder()
main()
"""
"""The command, with an embedder that starts at once."""


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    """Return the base of tests that change no documents."""
    home = tmp_path_factory.mktemp("served") / "home"
    with KnowledgeBase.open(Settings(home=home, rerank="none"), embedder=CharacterEmbedder()) as opened:
        for name, text in (("leave.md", LEAVE), ("vpn_en.md", VPN)):
            opened.ingest_data(text.encode(), name)
        yield opened


@contextmanager
def serving(home: Path, base: KnowledgeBase) -> Iterator[Serve]:
    """Give a function that serves an assistant whose model gives these replies, one a call, the last for ever.

    With `documents`, it has a base of its own with these.
    """
    with ExitStack() as open_:

        def make(
            *replies: str | Exception | Callable[..., str],
            documents: dict[str, str] | None = None,
            on_loopback: bool = True,
            client: dict[str, Any] | None = None,
            **http: Any,
        ) -> Served:
            settings = Settings(
                home=home, chat_model="scripted", openai_base_url="http://127.0.0.1:9/v1", http=HttpSettings(**http)
            )
            served = base
            if documents is not None:
                served = open_.enter_context(KnowledgeBase.open(settings, embedder=CharacterEmbedder()))
                for name, text in documents.items():
                    assert not served.ingest_data(text.encode(), name).failed
            sessions = SessionStore.in_folder(settings.home)
            open_.callback(sessions.close)
            database = open_database(settings)
            open_.callback(database.dispose)
            model = ScriptedChatModel(replies=replies or ("Final Answer: NOT_FOUND",))
            assistant = Assistant(settings, served, model, sessions)
            app = create_app(assistant, database, on_loopback=on_loopback)
            options = {"base_url": "http://127.0.0.1", "raise_server_exceptions": False} | (client or {})
            return Served(open_.enter_context(TestClient(app, **options)), assistant, KeyStore(database))

        yield make


@pytest.fixture
def serve(tmp_path: Path, base: KnowledgeBase) -> Iterator[Serve]:
    """Return a function that serves an assistant for this test alone, as `serving` says."""
    with serving(tmp_path / "home", base) as make:
        yield make


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, base: KnowledgeBase) -> Iterator[Served]:
    """Return a server without keys, for tests that change nothing of it."""
    with serving(tmp_path_factory.mktemp("shared") / "home", base) as make:
        yield make(cors_origins="https://intranet.example")


def restricted(groups: str, text: str = BOARD) -> str:
    """Return a document that only these groups may see."""
    return f"---\nvisible_to: [{groups}]\n---\n{text}"
