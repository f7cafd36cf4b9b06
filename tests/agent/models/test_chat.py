import json
import re
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import agent.models.compatible
from agent.assistant import Assistant
from agent.models.chat import host_of
from agent.models.errors import ModelError
from agent.sessions.store import SessionStore
from agent.sessions.turn import Turn
from agent.settings import Settings
from retrieval.knowledge_base import KnowledgeBase
from tests.agent.chat_server import COMPLETION_TOKENS, PROMPT_TOKENS, ChatServer, Raw, Reply, events

KEY = "sk-very-secret-0123456789"
SEARCH = "Thought: 要查。\nAction: knowledge_search\nAction Input: 转正员工年假 12 天"

Serve = Callable[..., tuple[ChatServer, Assistant]]


@pytest.fixture
def serve(knowledge_base: KnowledgeBase, tmp_path: Path) -> Iterator[Serve]:
    """Return a function that starts a server with these replies, and an assistant whose model is there."""
    opened: list[Any] = []

    def start(*replies: Reply, **settings: Any) -> tuple[ChatServer, Assistant]:
        server = ChatServer(replies).__enter__()
        values = {"openai_base_url": server.url, "openai_api_key": KEY, "chat_model": "served-model"} | settings
        sessions = SessionStore.in_memory()
        opened.extend((server, sessions))
        return server, Assistant(Settings(home=tmp_path, **values), knowledge_base, None, sessions)

    yield start
    for server, sessions in zip(opened[::2], opened[1::2], strict=True):
        server.__exit__()
        sessions.close()


def cite(text: str, fact: str) -> Callable[[dict[str, Any]], str]:
    """Return a reply that cites the passage of the prompt in which the fact stands."""

    def reply(body: dict[str, Any]) -> str:
        passages = re.findall(r"^(?:Observation: )?\[(S\d+)\].*\n((?:\|.*\n?)+)", body["messages"][-1]["content"], re.M)
        label = next(label for label, passage in passages if fact in passage)
        return f"Thought: 有了。\nFinal Answer: {text}[{label}]"

    return reply


def test_a_whole_question_over_http(serve: Serve) -> None:
    server, assistant = serve(SEARCH, cite("转正员工年假 12 天。", "12 天"))

    answer = assistant.ask("转正员工年假有几天？", "s")

    assert answer.answer.startswith("转正员工年假 12 天。")
    assert [Path(citation.source).name for citation in answer.citations] == ["leave.md"]
    assert answer.citations[0].quote == "转正员工年假 12 天。"
    assert answer.usage == {
        "llm_calls": 2,
        "tool_calls": 1,
        "prompt_tokens": 2 * PROMPT_TOKENS,
        "completion_tokens": 2 * COMPLETION_TOKENS,
    }
    first, second = server.requests
    assert first["path"] == "/v1/chat/completions"
    assert (first["model"], first["stream"], first["stop"]) == ("served-model", True, ["\nObservation", "\n观察"])
    assert "Observation" not in first["messages"][-1]["content"]
    assert "| 试用期员工年假 5 天。转正员工年假 12 天。" in second["messages"][-1]["content"]
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"


def test_a_follow_up_is_rewritten_by_the_same_model(serve: Serve) -> None:
    server, assistant = serve(
        "Thought: 追问。\nAction: query_rewrite\nAction Input: 那病假呢？",
        "病假工资按多少计发？",
        "Thought: 查。\nAction: knowledge_search\nAction Input: 病假工资按多少计发？",
        cite("病假工资按 80% 计发。", "80%"),
    )
    assistant.sessions.append("s", Turn("年假有几天？", "12 天。[S1]"))

    answer = assistant.ask("那病假呢？", "s")

    assert answer.citations[0].quote == "病假工资按 80% 计发。"
    assert [bool(request.get("stream")) for request in server.requests] == [True, True, True, True]
    assert "年假有几天" in server.requests[1]["messages"][-1]["content"]
    assert answer.usage["completion_tokens"] == 4 * COMPLETION_TOKENS


ECHO = json.dumps({"error": {"message": f"bad key {KEY}", "code": "x"}})
BALANCE = json.dumps({"error": {"code": "1113", "message": "账户余额不足"}}, ensure_ascii=False)
NO_CHOICES = '{"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": []}'
NULL_CHOICES = '{"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": null}'


def null_choices(body: dict[str, Any]) -> Raw:
    return events(NULL_CHOICES) if body.get("stream") else Raw(body=NULL_CHOICES)


@pytest.mark.parametrize(
    ("reply", "message", "requests"),
    [
        pytest.param(Raw(401, ECHO), "refused the key; check OPENAI_API_KEY", 1, id="401"),
        pytest.param(Raw(403, ECHO), "refused the key; check OPENAI_API_KEY", 1, id="403"),
        pytest.param(Raw(404, ECHO), "was not found (Error code: 404", 1, id="404"),
        pytest.param(Raw(429, ECHO), "is busy or the quota is used up (Error code: 429", 3, id="429"),
        pytest.param(Raw(400, ECHO), "failed: Error code: 400", 1, id="400"),
        pytest.param(Raw(500, ECHO), "failed: Error code: 500", 3, id="500"),
        pytest.param(events(ECHO), "failed: bad key ***", 1, id="error in a stream"),
        # A stream that holds nothing is asked for once more as a whole.
        pytest.param(null_choices, "sent no chat completion (Received response with null", 2, id="null choices"),
        pytest.param(Raw(body=ECHO), "failed: bad key ***", 2, id="error under 200"),
        pytest.param(Raw(body=BALANCE), "failed: 账户余额不足", 2, id="a reason under 200"),
        pytest.param(Raw(body=NO_CHOICES), "sent no chat completion (no choices", 2, id="no choices"),
        pytest.param(events(), "sent no chat completion", 2, id="empty stream"),
        pytest.param(events('{"id": '), "sent no chat completion", 1, id="broken JSON"),
        pytest.param(Raw(body="<html>Sign in</html>", kind="text/html"), "sent no chat completion", 2, id="web page"),
        pytest.param(Raw(body="data: ", kind="text/event-stream", cut=True), "cannot be reached", 1, id="cut off"),
    ],
)
def test_what_a_server_sends_is_one_line(
    serve: Serve, tmp_path: Path, caplog: pytest.LogCaptureFixture, reply: Reply, message: str, requests: int
) -> None:
    server, assistant = serve(reply)

    with pytest.raises(ModelError) as caught:
        assistant.ask("转正员工年假有几天？", "s")

    text = str(caught.value)
    assert text.startswith(f"the chat model 'served-model' at {server.host} {message}")
    assert "\n" not in text
    assert len(server.requests) == requests
    assert assistant.sessions.turns("s") == []
    (trace,) = (tmp_path / "traces").glob("*.json")
    assert json.loads(trace.read_text(encoding="utf-8"))["error"] == text
    assert KEY not in text + caplog.text + trace.read_text(encoding="utf-8")


@pytest.mark.parametrize("content", ["", " \n"])
def test_a_model_that_says_nothing_still_ends_in_an_answer(serve: Serve, content: str) -> None:
    _, assistant = serve(content)
    answer = assistant.ask("转正员工年假有几天？")
    assert answer.refused or [citation.quote for citation in answer.citations] == ["转正员工年假 12 天。"]


def test_a_server_that_is_not_there(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent.models.compatible, "MAX_RETRIES", 0)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    _, assistant = serve("unused", openai_base_url=f"http://127.0.0.1:{port}/v1")
    with pytest.raises(ModelError) as caught:
        assistant.ask("年假？")
    assert str(caught.value) == (
        f"the chat model 'served-model' at 127.0.0.1:{port} cannot be reached; check OPENAI_BASE_URL"
    )


@pytest.mark.parametrize(
    ("given", "model"),
    [({}, "offline"), ({"openai_api_key": KEY}, "gpt-4.1-mini"), ({"openai_api_key": KEY, "chat_model": "x"}, "x")],
)
def test_which_model_answers(given: dict[str, Any], model: str) -> None:
    assert Settings(**given).chat_model_name == model


@pytest.mark.parametrize(
    ("address", "host"),
    [
        (None, "api.openai.com"),
        ("http://localhost:8000/v1/", "localhost:8000"),
        ("https://user:word@models.example/v1", "models.example"),
    ],
)
def test_errors_name_the_host_and_never_the_password(address: str | None, host: str) -> None:
    assert host_of(Settings(openai_base_url=address)) == host
