import threading
from pathlib import Path
from typing import Any

import pytest

from agent.assistant import Assistant
from agent.mcp.stdio import Lending
from agent.settings import Settings
from retrieval.knowledge_base import KnowledgeBase
from retrieval.store.store import StoreLocked
from tests.fakes import CharacterEmbedder

LONG = 600.0


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setattr("retrieval.knowledge_base.open_embedder", lambda _settings: CharacterEmbedder())
    return Settings(home=tmp_path / "home", rerank="none")


def is_free(settings: Settings) -> bool:
    """Say whether another command could use the index."""
    try:
        KnowledgeBase.open(settings, embedder=CharacterEmbedder()).close()
    except StoreLocked:
        return False
    return True


def test_it_is_opened_at_the_first_call_and_lent_to_all(settings: Settings) -> None:
    lending = Lending(lambda: Assistant.open(settings), LONG)
    assert not settings.home.exists()
    with lending.assistant() as first, lending.assistant() as second:
        assert first is second
    with lending.assistant() as third:
        assert third is first
    lending.close()
    assert is_free(settings)


def test_the_index_is_free_when_no_call_came_for_a_while(settings: Settings) -> None:
    closed = threading.Event()

    class Told(Assistant):
        def close(self) -> None:
            super().close()
            closed.set()

    lending = Lending(lambda: Told.open(settings), 0.01)
    with lending.assistant() as first:
        assert not closed.wait(0.1)
        assert not is_free(settings)
    assert closed.wait(30)
    assert is_free(settings)
    with lending.assistant() as second:
        assert second is not first
        assert second.knowledge_base.documents() == []
    lending.close()


def test_the_last_call_closes_what_is_over_and_it_says_whether_all_have_ended(settings: Settings) -> None:
    lending = Lending(lambda: Assistant.open(settings), LONG)
    assert lending.is_back_within(0)
    with lending.assistant():
        with lending.assistant():
            pass
        lending.close()
        assert not lending.is_back_within(0)
        assert not is_free(settings)
    assert lending.is_back_within(0)
    assert is_free(settings)
    lending.close()


def test_calls_that_come_at_once_open_it_once(settings: Settings) -> None:
    opened: list[Any] = []

    def open_() -> Assistant:
        opened.append(Assistant.open(settings))
        return opened[-1]

    lending, meeting = Lending(open_, LONG), threading.Barrier(4)

    def borrow() -> None:
        meeting.wait(30)
        with lending.assistant():
            meeting.wait(30)

    threads = [threading.Thread(target=borrow) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lending.close()
    assert len(opened) == 1
