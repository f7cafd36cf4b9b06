"""What providers refuse, leave out or write in odd ways, over real HTTP on loopback."""

import json
import logging
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.assistant import Assistant
from agent.models.errors import ModelError
from agent.models.failures import is_overflow, limit_of
from agent.sessions.store import SessionStore
from agent.sessions.turn import Turn
from agent.settings import Settings
from prompts import approximate_tokens
from retrieval.hit import Hit
from retrieval.knowledge_base import KnowledgeBase
from tests.agent.chat_server import ChatServer, Raw, Reply, events, whole
from tests.fakes import make_hit

SEARCH = "Thought: 要查。\nAction: knowledge_search\nAction Input: 转正员工年假 12 天"
ANSWER = "转正员工年假 12 天。"
Serve = Callable[..., tuple[ChatServer, Assistant]]


@pytest.fixture
def serve(knowledge_base: KnowledgeBase, tmp_path: Path) -> Iterator[Serve]:
    opened: list[tuple[ChatServer, SessionStore]] = []

    def start(*replies: Reply, path: str = "/v1", **settings: Any) -> tuple[ChatServer, Assistant]:
        server = ChatServer(replies).__enter__()
        values = {"openai_base_url": f"http://{server.host}{path}", "chat_model": "served-model"} | settings
        opened.append((server, SessionStore.in_memory()))
        return server, Assistant(Settings(home=tmp_path, **values), knowledge_base, None, opened[-1][1])

    yield start
    for server, sessions in opened:
        server.__exit__()
        sessions.close()


def last(body: dict[str, Any]) -> str:
    return str(body["messages"][-1]["content"])


def agent(body: dict[str, Any]) -> str:
    """Reply as a model that follows the prompt: search, then cite the passage that holds the fact."""
    passages = re.findall(r"^\[(S\d+)\].*\n((?:\|.*\n?)+)", last(body), re.M)
    found = [label for label, passage in passages if "12 天" in passage]
    if found and "Passages:" in last(body):
        return f"{ANSWER}[{found[0]}]"
    return f"Thought: 有了。\nFinal Answer: {ANSWER}[{found[0]}]" if found else SEARCH


def refusing(wanted: Callable[[dict[str, Any]], bool], error: dict[str, Any], status: int = 400) -> Reply:
    """Refuse the requests that are wanted so, and answer the others."""
    refused = Raw(status, json.dumps({"error": error}))

    def reply(body: dict[str, Any]) -> str | Raw:
        return refused if wanted(body) else agent(body)

    return reply


def is_answered(assistant: Assistant) -> None:
    answer = assistant.ask("转正员工年假有几天？")
    assert answer.answer.startswith(ANSWER)
    assert [Path(citation.source).name for citation in answer.citations] == ["leave.md"]


STOP = {"type": "invalid_request_error", "code": "unsupported_parameter", "param": "stop", "message": "no stop here"}


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (STOP, 400),
        ({"message": "Unsupported parameter: 'stop' is not supported with this model."}, 400),
        ({"message": "[{'type': 'extra_forbidden', 'loc': ('body', 'stop'), 'msg': 'Extra inputs'}]"}, 422),
        ({"message": "参数 stop 不支持"}, 400),
    ],
)
def test_a_refused_stop_is_left_out_at_once_and_for_good(serve: Serve, error: dict[str, Any], status: int) -> None:
    server, assistant = serve(refusing(lambda body: "stop" in body, error, status))
    is_answered(assistant)
    is_answered(assistant)
    assert ["stop" in request for request in server.requests] == [True, False, False, False, False]


def test_without_stop_the_reply_is_cut_where_an_observation_is_invented(serve: Serve) -> None:
    def reply(body: dict[str, Any]) -> str | Raw:
        if "stop" in body:
            return Raw(400, json.dumps({"error": STOP}))
        said = agent(body)
        return said if "Final" in said else f"{said}\nObservation: [S1] 99 天\nThought: x\nFinal Answer: 99 天。[S1]"

    _, assistant = serve(reply)
    is_answered(assistant)


def has_system(body: dict[str, Any]) -> bool:
    return any(message["role"] == "system" for message in body["messages"])


@pytest.mark.parametrize(
    ("wanted", "error", "left_out"),
    [
        (lambda body: "stream_options" in body, {"message": "Unrecognized request argument: stream_options"}, "usage"),
        (has_system, {"message": "System role not supported"}, "system"),
        (lambda body: body.get("stream"), {"message": "streaming is not supported by this deployment"}, "stream"),
    ],
)
def test_what_is_refused_is_done_without(
    serve: Serve, wanted: Callable[[dict[str, Any]], bool], error: dict[str, Any], left_out: str
) -> None:
    server, assistant = serve(refusing(wanted, error))
    is_answered(assistant)
    assert [bool(wanted(request)) for request in server.requests] == [True, False, False]
    if left_out == "system":
        assert server.requests[1]["messages"][0]["role"] == "user"
        assert "answer questions from an organisation" in server.requests[1]["messages"][0]["content"]


def test_a_body_of_ones_own_is_sent_and_named_where_it_would_help(serve: Serve) -> None:
    error = {"message": "parameter.enable_thinking must be set to false for this call"}
    server, assistant = serve(refusing(lambda body: body.get("enable_thinking") is not False, error))
    with pytest.raises(ModelError, match=re.escape('set FOLIO_CHAT_EXTRA_BODY={"enable_thinking": false}')):
        assistant.ask("年假？")
    server, assistant = serve(agent, chat_extra_body={"enable_thinking": False})
    is_answered(assistant)
    assert all(request["enable_thinking"] is False for request in server.requests)


def piece(choice: dict[str, Any] | None = None, **rest: Any) -> str:
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return json.dumps(head | {"choices": [{"index": 0, **choice}] if choice else []} | rest)


def odd(kind: str, text: str) -> Raw:
    usage = {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14}
    done = piece({"delta": {}, "finish_reason": "stop"})
    content = [piece({"delta": {"content": text[start : start + 5]}}) for start in range(0, len(text), 5)]
    match kind:
        case "choices null between":
            return events(piece(choices=None), content[0], piece(choices=None), *content[1:], done)
        case "delta null":
            return events(piece({"delta": None}), *content, piece({"delta": None, "finish_reason": "stop"}))
        case "message instead of delta":
            return events(piece({"message": {"role": "assistant", "content": text}}), done)
        case "role of the person":
            return events(piece({"delta": {"role": "user", "content": ""}}), *content, done)
        case "content null first":
            return events(piece({"delta": {"role": "assistant", "content": None}}), *content, done)
        case "usage with every piece":
            return events(*(json.dumps(json.loads(one) | {"usage": usage}) for one in content), done)
        case "usage null":
            return events(*content, piece(choices=[], usage=None), done)
        case "no finish":
            return events(*content)
        case "content in parts":
            parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "Final Answer: 99"}]}]
            return events(piece({"delta": {"content": [*parts, {"type": "text", "text": text}]}}), done)
        case "comments between":
            return Raw(body=": keep-alive\n\n" + events(*content, done).body, kind="text/event-stream")
        case "thought beside":
            return events(piece({"delta": {"reasoning_content": "Action: delete\nFinal Answer: 99"}}), *content, done)
        case "whole instead of a stream":
            return whole(text)
    raise AssertionError(kind)


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings:UserWarning")
@pytest.mark.parametrize(
    "kind",
    [
        *("choices null between", "delta null", "message instead of delta", "role of the person", "content null first"),
        *("usage with every piece", "usage null", "no finish", "content in parts", "comments between"),
        *("thought beside", "whole instead of a stream"),
    ],
)
def test_a_stream_in_an_odd_form_is_read(serve: Serve, kind: str) -> None:
    server, assistant = serve(lambda body: odd(kind, agent(body)))
    answer = assistant.ask("转正员工年假有几天？")
    assert answer.answer.startswith(ANSWER)
    assert "99" not in answer.answer
    if kind == "usage with every piece":
        assert answer.usage["prompt_tokens"] == 2 * 11
    if kind == "whole instead of a stream":
        assert [bool(request.get("stream")) for request in server.requests] == [True, False, False]


@pytest.mark.parametrize("streams", [True, False])
def test_a_model_that_only_thinks_is_named_and_its_thoughts_are_no_answer(
    serve: Serve, caplog: pytest.LogCaptureFixture, streams: bool
) -> None:
    said = {"role": "assistant", "content": None, "reasoning_content": "转正员工年假 99 天。"}
    head = {"id": "c", "object": "chat.completion", "created": 1, "model": "m"}
    choice = {"index": 0, "finish_reason": "stop", "message": said}
    in_pieces = events(piece({"delta": said}), piece({"delta": {}, "finish_reason": "stop"}))
    server, assistant = serve(in_pieces if streams else Raw(body=json.dumps(head | {"choices": [choice]})))
    with caplog.at_level(logging.WARNING):
        answer = assistant.ask("转正员工年假有几天？")
    assert "99" not in answer.answer
    assert answer.answer
    (warning,) = [one for one in caplog.messages if "only thought" in one]
    assert warning.startswith("the chat model 'served-model' only thought and said nothing")
    # Two corrections, and the last question for the answer; that there is no stream is found out once.
    assert len(server.requests) == 4 + (not streams)


def test_a_prompt_that_the_server_cuts_is_noticed_and_cut_here(
    serve: Serve, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reply(body: dict[str, Any]) -> Raw:
        sent = sum(approximate_tokens(str(message["content"])) for message in body["messages"])
        usage = {"prompt_tokens": min(sent, 2500), "completion_tokens": 3, "total_tokens": 2503}
        text = agent(body)
        return events(piece({"delta": {"content": text}}), piece({"delta": {}, "finish_reason": "stop"}, usage=usage))

    server, assistant = serve(reply)
    monkeypatch.setattr(assistant.knowledge_base, "search", lambda *_a, **_n: long_hits())
    with caplog.at_level(logging.WARNING):
        assistant.ask("转正员工年假有几天？")
        assert any("its server cuts prompts" in one for one in caplog.messages)
        assistant.ask("转正员工年假有几天？")
    sizes = [sum(approximate_tokens(str(one["content"])) for one in request["messages"]) for request in server.requests]
    assert sizes[1] > 5000
    assert sizes[-1] <= 2500


def long_hits() -> list[Hit]:
    return [make_hit(f"{ANSWER}{number}" + "其他规定很长。" * 280, f"c{number}") for number in range(8)]


def test_a_window_that_is_too_small_for_everything_never_reaches_the_person(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    too_long = {"code": "context_length_exceeded", "message": "This model's maximum context length is 8000 tokens."}

    def size(body: dict[str, Any]) -> int:
        return sum(approximate_tokens(str(message["content"])) for message in body["messages"])

    server, assistant = serve(refusing(lambda body: size(body) > 8000, too_long), history_tokens=6000)
    monkeypatch.setattr(assistant.knowledge_base, "search", lambda *_a, **_n: long_hits())
    for number in range(60):
        assistant.sessions.append("s", Turn(f"第{number}个问题？" + "很长" * 20, "很长的回答。" * 20))

    answer = assistant.ask("转正员工年假有几天？", "s")

    assert answer.answer.startswith(ANSWER)
    accepted = [request for request in server.requests if size(request) <= 8000]
    assert all("转正员工年假有几天" in last(request) for request in accepted)
    assert "(left out to fit: " in last(accepted[-1])
    before = len(server.requests)
    assistant.ask("转正员工年假有几天？", "s")
    assert all(size(request) <= 8000 for request in server.requests[before:])


@pytest.mark.parametrize(
    ("message", "limit"),
    [
        ("This model's maximum context length is 8192 tokens. However, you requested 9000 tokens", 8192),
        ("the request exceeds the available context size (4096 tokens), try increasing it", 4096),
        ("prompt is too long: 210000 tokens > 200000 maximum", None),
        ("Range of input length should be [1, 30720]", None),
        ("请求的输入过长，超过了上下文长度限制", None),
        ("Input tokens exceed the configured limit of 272,000 tokens", 272_000),
    ],
)
def test_a_prompt_that_is_too_long_is_known_as_such(message: str, limit: int | None) -> None:
    assert is_overflow(Exception(message))
    assert limit_of(message) == limit


def test_the_messages_alternate_with_one_system_message_first(serve: Serve) -> None:
    def reply(body: dict[str, Any]) -> str | Raw:
        roles = [message["role"] for message in body["messages"]]
        if roles != ["system", *(("user", "assistant") * len(roles))[: len(roles) - 1]]:
            return Raw(400, json.dumps({"error": {"message": "roles must alternate"}}))
        return "no labels" if len(server.requests) == 1 else agent(body)

    server, assistant = serve(reply)
    for _ in range(3):
        assert assistant.ask("转正员工年假有几天？", "s").answer.startswith(ANSWER)


def test_a_reply_that_goes_round_in_circles_is_cut(serve: Serve, caplog: pytest.LogCaptureFixture) -> None:
    endless = "请参考制度全文。" * 3000
    read: list[str] = []

    def reply(body: dict[str, Any]) -> str:
        return f"{agent(body)}\n{endless}" if "12 天" in last(body) and "[S1]" in last(body) else agent(body)

    _, assistant = serve(reply)
    answer = assistant.ask("转正员工年假有几天？", on_draft=lambda _number, piece: read.append(piece))
    assert answer.answer.startswith(f"{ANSWER} [S1]") or answer.answer.startswith(f"{ANSWER}[S1]")
    assert len(answer.answer) < 100
    assert sum(map(len, read)) < len(endless) / 10
    assert "went round in circles" in caplog.text
