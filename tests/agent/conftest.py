"""A small knowledge base and an assistant on it, with a scripted model."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from agent.assistant import Assistant
from agent.sessions.store import SessionStore
from agent.settings import Settings
from retrieval.knowledge_base import KnowledgeBase
from tests.fakes import CharacterEmbedder, ScriptedChatModel

LEAVE = "# 休假制度\n\n## 年假\n\n试用期员工年假 5 天。转正员工年假 12 天。\n\n## 病假\n\n病假工资按 80% 计发。\n"
VPN = "# Remote access\n\nVPN sessions are closed after 45 minutes of inactivity.\n"
SEARCH = "Thought: 要查。\nAction: knowledge_search\nAction Input: 转正员工年假"
ANSWER = "Thought: 有了。\nFinal Answer: 转正员工年假 12 天。[S1]"

Ask = Callable[..., Any]
Scripted = Callable[..., Assistant]
"""What `scripted` returns."""


@pytest.fixture(scope="session")
def knowledge_base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    """Return the base that the tests of the agent read; none of them changes it."""
    tmp_path = tmp_path_factory.mktemp("base")
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "leave.md").write_text(LEAVE, encoding="utf-8")
    (docs / "vpn_en.md").write_text(VPN, encoding="utf-8")
    with KnowledgeBase.open(Settings(home=tmp_path / "home"), embedder=CharacterEmbedder()) as base:
        base.ingest([docs])
        yield base


@pytest.fixture
def scripted(knowledge_base: KnowledgeBase, tmp_path: Path) -> Iterator[Callable[..., Assistant]]:
    """Return a function that makes an assistant whose model gives these replies, one a call, the last for ever."""
    opened: list[SessionStore] = []

    def make(
        *replies: str | Exception | Callable[..., str], sessions: SessionStore | None = None, **settings: Any
    ) -> Assistant:
        sessions = sessions or SessionStore.in_memory()
        opened.append(sessions)
        values = {
            "home": tmp_path / "home",
            "chat_model": "scripted",
            "openai_base_url": "http://127.0.0.1:9/v1",
        } | settings
        return Assistant(Settings(**values), knowledge_base, ScriptedChatModel(replies=replies), sessions)

    yield make
    for sessions in opened:
        sessions.close()


def model_of(assistant: Assistant) -> ScriptedChatModel:
    """Return the scripted model of an assistant."""
    model = assistant._answerer.model
    assert isinstance(model, ScriptedChatModel)
    return model


def prompts_of(assistant: Assistant) -> Sequence[str]:
    """Return what was sent to the model, one text a call."""
    return ["\n".join(str(message.text) for message in messages) for messages in model_of(assistant).prompts]
