import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from agent.assistant import Assistant
from agent.sessions.store import SessionStore
from agent.settings import Settings
from agent.traces.kept import FolderTraces
from preprocessing.errors import FolioError
from prompts import approximate_tokens
from retrieval.hit import Hit
from retrieval.knowledge_base import KnowledgeBase
from retrieval.search import SearchError
from tests.agent.chat_server import ChatServer, Raw
from tests.agent.conftest import ANSWER, SEARCH, Scripted, prompts_of


def written(home: Path) -> dict[str, Any]:
    (path,) = (home / "traces").glob("*.json")
    return FolderTraces(home / "traces").read(path.stem)


def test_an_answer_is_traced_step_by_step(scripted: Scripted) -> None:
    assistant = scripted(SEARCH, ANSWER)
    heard: list[dict[str, Any]] = []
    answer = assistant.ask("转正员工年假有几天？", "s", listen=heard.append)

    record = written(assistant.settings.home)
    assert set(record) == {
        *("trace_id", "session", "question", "viewer", "model", "started_at", "seconds", "run", "history"),
        *("events", "llm_calls", "failed_calls", "searches", "limit", "usage", "answer", "error"),
    }
    assert (record["trace_id"], record["session"], record["question"]) == (answer.trace_id, "s", "转正员工年假有几天？")
    as_read = json.loads(json.dumps(answer.as_json()))  # JSON knows no tuples
    assert (record["model"], record["error"], record["answer"]) == ("scripted", None, as_read)
    assert record["events"] == heard
    action, observation, finish = record["events"]
    assert action == {
        "event": "action",
        "at_seconds": action["at_seconds"],
        "thought": "要查。",
        "tool": "knowledge_search",
        "input": "转正员工年假",
    }
    assert (observation["event"], observation["tool"]) == ("observation", "knowledge_search")
    assert "| 试用期员工年假 5 天。转正员工年假 12 天。" in observation["text"]
    assert (finish["event"], finish["thought"]) == ("finish", "有了。")
    best = observation["hits"][0]
    assert set(best) == {"query", "chunk_id", "source", "section", "score", "legs"}
    assert (best["query"], best["section"], best["legs"]["fused"]["rank"]) == ("转正员工年假", "年假", 1)
    times = [event["at_seconds"] for event in record["events"]]
    assert times == sorted(times)
    assert [call["reply"] for call in record["llm_calls"]] == [SEARCH, ANSWER]
    assert record["llm_calls"][1]["prompt"].endswith(prompts_of(assistant)[1][-50:])
    # This model does not say how many tokens it took, so they are counted.
    tokens = [approximate_tokens(SEARCH), approximate_tokens(ANSWER)]
    assert [call["completion_tokens"] for call in record["llm_calls"]] == tokens
    assert record["usage"] == {
        "llm_calls": 2,
        "tool_calls": 1,
        "prompt_tokens": sum(call["prompt_tokens"] for call in record["llm_calls"]),
        "completion_tokens": sum(tokens),
    }
    assert record["usage"] == answer.usage


KEY, QDRANT_KEY, PASSWORD = "sk-0123456789", "qdrant-0123456789", "pass-0123456789"


@pytest.mark.enable_socket
@pytest.mark.parametrize("ends", ["answer", "error"])
def test_no_secret_enters_a_trace(
    knowledge_base: KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: str
) -> None:
    """Secrets of the settings, of the environment, of an address, of a header and of a server's words."""

    search, words = knowledge_base.search, f"api-key: {QDRANT_KEY}, Authorization: Basic Zm9vOmJhcg=="
    errors = [SearchError(f"http://folio:{PASSWORD}@db:6333 refused {words}")]

    def told(*asked: Any, **named: Any) -> list[Hit]:
        if errors:
            raise errors.pop()
        return search(*asked, **named)

    monkeypatch.setattr(knowledge_base, "search", told)
    monkeypatch.setenv("LANGSMITH_API_KEY", "lsv2-0123456789")
    with ChatServer([]) as server:

        def last(_body: dict[str, Any]) -> Raw | str:
            sent = dict(server.headers[-1])
            assert server.headers[-1]["authorization"] == f"Bearer {KEY}"
            if ends == "answer":
                return f"Final Answer: NOT_FOUND: lsv2-0123456789 {sent}"
            return Raw(400, json.dumps({"error": {"message": f"bad request with {sent} to me:hunter2@proxy"}}))

        server.replies = [f"Thought: {KEY}\nAction: knowledge_search\nAction Input: {QDRANT_KEY}", last]
        sessions = SessionStore.in_memory()
        settings = Settings(
            home=tmp_path / "home",
            chat_model="m",
            openai_base_url=server.url,
            qdrant_url=f"http://folio:{PASSWORD}@db:6333",
            openai_api_key=KEY,  # type: ignore[arg-type]
            qdrant_api_key=QDRANT_KEY,  # type: ignore[arg-type]
        )
        assistant = Assistant(settings, knowledge_base, None, sessions)
        heard: list[dict[str, Any]] = []
        with pytest.raises(FolioError, match="bad request with") if ends == "error" else nullcontext():
            assistant.ask(f"密钥 {KEY} 是什么？", "s", listen=heard.append)
        sessions.close()
    (path,) = (tmp_path / "home" / "traces").glob("*.json")
    for text in (path.read_text(encoding="utf-8"), json.dumps(heard)):
        assert "***" in text
        for secret in (KEY, QDRANT_KEY, PASSWORD, "lsv2-0123456789", "Zm9vOmJhcg=="):
            assert secret not in text
    record = written(tmp_path / "home")
    assert record["question"] == "密钥 *** 是什么？"
    assert record["searches"][0]["error"]["text"] == (
        "http://***@db:6333 refused api-key: ***, Authorization: Basic ***"
    )
    assert bool(record["error"]) == (ends == "error")
