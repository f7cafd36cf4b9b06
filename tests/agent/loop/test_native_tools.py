"""Native tool calls: the same tools, ledger, limits and answers as with ReAct, over real HTTP."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.assistant import Assistant
from agent.sessions.store import SessionStore
from agent.settings import Settings
from retrieval.knowledge_base import KnowledgeBase
from tests.agent.chat_server import ChatServer, Raw, Reply, events

ANSWER = "转正员工年假 12 天。"
QUESTION = "转正员工年假有几天？"
Serve = Callable[..., tuple[ChatServer, Assistant]]


@pytest.fixture
def serve(knowledge_base: KnowledgeBase, tmp_path: Path) -> Iterator[Serve]:
    opened: list[tuple[ChatServer, SessionStore]] = []

    def start(*replies: Reply, **settings: Any) -> tuple[ChatServer, Assistant]:
        server = ChatServer(replies).__enter__()
        values = {"openai_base_url": server.url, "chat_model": "m", "agent_style": "tools"} | settings
        opened.append((server, SessionStore.in_memory()))
        return server, Assistant(Settings(home=tmp_path, **values), knowledge_base, None, opened[-1][1])

    yield start
    for server, sessions in opened:
        server.__exit__()
        sessions.close()


def calls(*given: tuple[str, str], text: str = "") -> Raw:
    """Return a streamed reply that calls tools, (name, arguments) each, the arguments in pieces of four characters."""
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": text}]
    for index, (name, arguments) in enumerate(given):
        head: dict[str, Any] = {"index": index, "id": f"id{index}", "type": "function"}
        head["function"] = {"name": name, "arguments": ""}
        deltas.append({"tool_calls": [head]})
        for start in range(0, len(arguments), 4):
            piece = {"index": index, "function": {"arguments": arguments[start : start + 4]}}
            deltas.append({"tool_calls": [piece]})
    chunks: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas
    ]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    frame: dict[str, Any] = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return events(*(json.dumps(frame | chunk) for chunk in chunks))


def search(query: str) -> tuple[str, str]:
    return ("knowledge_search", json.dumps({"input": query}, ensure_ascii=False))


def cited(body: dict[str, Any]) -> str:
    """Reply with the answer and the label of the passage that holds it."""
    seen = "\n".join(str(message["content"]) for message in body["messages"])
    passages = re.findall(r"^\[(S\d+)\].*\n((?:\|.*\n?)+)", seen, re.M)
    return f"{ANSWER}[{next(label for label, passage in passages if '12 天' in passage)}]"


def roles(body: dict[str, Any]) -> list[str]:
    return [message["role"] for message in body["messages"]]


def test_a_direct_question_costs_two_calls_and_is_cited(serve: Serve) -> None:
    server, assistant = serve(calls(search("转正员工年假")), cited)
    answer = assistant.ask(QUESTION, "s")
    assert answer.answer.startswith(ANSWER)
    assert answer.citations[0].quote == ANSWER
    assert (answer.usage["llm_calls"], answer.usage["tool_calls"]) == (2, 1)
    assert [tool["function"]["name"] for tool in server.requests[0]["tools"]] == ["knowledge_search", "query_rewrite"]
    assert "stop" not in server.requests[0]
    assert roles(server.requests[1]) == ["system", "user", "assistant", "tool"]
    (called,) = server.requests[1]["messages"][2]["tool_calls"]
    assert json.loads(called["function"]["arguments"]) == {"input": "转正员工年假"}
    assert server.requests[1]["messages"][3]["content"].startswith("<passages ")
    (turn,) = assistant.sessions.turns("s")
    assert turn.answer == answer.answer


def test_several_calls_are_answered_each_and_those_of_two_replies_stay_apart(serve: Serve) -> None:
    both = calls(search("转正员工年假"), search("病假工资"), text="两个都查。")
    server, assistant = serve(both, calls(search("VPN")), cited)
    assert assistant.ask(QUESTION).answer.startswith(ANSWER)
    messages = server.requests[2]["messages"]
    assert roles(server.requests[2]) == ["system", "user", "assistant", "tool", "tool", "assistant", "tool"]
    assert messages[2]["content"] == "两个都查。"
    assert [call["id"] for call in messages[2]["tool_calls"]] == ["id0", "id1"]
    assert [message["tool_call_id"] for message in messages[3:5]] == ["id0", "id1"]


@pytest.mark.parametrize(
    "call",
    [
        ("knowledge-search", '{"input": "转正员工年假"}'),
        ("functions.knowledge_search", '{"input": "转正员工年假"}'),
        ("knowledge_search", '{"query": "转正员工年假"}'),
        ("knowledge_search", '{"input": {"query": "转正员工年假"}}'),
        ("knowledge_search", '"转正员工年假"'),
        ("knowledge_search", "转正员工年假"),
        ("knowledge_search", '{"input": "转正员工年假"'),
    ],
)
def test_calls_as_models_write_them(serve: Serve, call: tuple[str, str]) -> None:
    server, assistant = serve(calls(call), cited)
    assert assistant.ask(QUESTION).answer.startswith(ANSWER)
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("first", "told"),
    [
        (
            calls(("search_documents", '{"input": "x"}')),
            "There is no tool 'search_documents'. Call knowledge_search with",
        ),
        (calls(("knowledge_search", "{}")), "The input of the tool is missing. Call knowledge_search with"),
        ("NOT_FOUND", "Nothing was searched yet, so nothing can be cited. Use knowledge_search first."),
    ],
)
def test_a_wrong_reply_is_corrected(serve: Serve, first: Raw | str, told: str) -> None:
    server, assistant = serve(first, calls(search("转正员工年假")), "转正员工年假 99 天。[S1]", cited)
    assert assistant.ask(QUESTION).answer.startswith(ANSWER)
    assert roles(server.requests[1]) == ["system", "user", "assistant", "user"]
    assert server.requests[1]["messages"][3]["content"].startswith(told)
    assert server.requests[3]["messages"][-1]["content"].startswith("This answer was not accepted:")


@pytest.mark.parametrize(
    "words",
    [
        "Thought: x\nAction: knowledge_search\nAction Input: 转正员工年假",
        '{"action": "knowledge_search", "action_input": "年假"}',
    ],
)
def test_a_call_in_words_is_a_call(serve: Serve, words: str) -> None:
    _, assistant = serve(words, cited)
    assert assistant.ask(QUESTION).answer.startswith(ANSWER)


@pytest.mark.parametrize("reply", [calls(search("转正员工年假")), "", calls(("fly", "{}"))])
def test_a_model_that_never_answers_ends_in_quotations(serve: Serve, reply: Raw | str) -> None:
    _, assistant = serve(reply)
    answer = assistant.ask(QUESTION)
    assert ANSWER in answer.answer
    assert answer.usage["llm_calls"] <= 7


SEARCH_IN_WORDS = "Thought: x\nAction: knowledge_search\nAction Input: 转正员工年假"
WARNING = "the chat model 'm' {}, so it is asked as with FOLIO_AGENT_STYLE=react from now on"


def in_words(body: dict[str, Any]) -> str:
    """Reply as a model that follows the ReAct prompt."""
    seen = str(body["messages"][-1]["content"])
    return f"Thought: 有了。\nFinal Answer: {cited(body)}" if "Observation:" in seen else SEARCH_IN_WORDS


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, {"message": "registry/m does not support tools"}),
        (400, {"message": "wrong value", "param": "tools"}),
        (400, {"message": "wrong value", "param": "tool_choice"}),
        (400, {"message": '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'}),
        (404, {"message": "No endpoints found that support tool use."}),
        (422, {"message": "[{'type': 'extra_forbidden', 'loc': ('body', 'tools'), 'msg': 'Extra inputs'}]"}),
        (500, {"message": "tools param requires --jinja flag"}),
        (400, {"message": "该模型不支持 function calling"}),
    ],
)
def test_where_tools_are_refused_they_are_called_in_words_from_then_on(
    serve: Serve, caplog: pytest.LogCaptureFixture, status: int, error: dict[str, Any]
) -> None:
    refused = Raw(status, json.dumps({"error": error}))
    server, assistant = serve(lambda body: refused if "tools" in body else in_words(body))
    for _ in range(2):
        answer = assistant.ask(QUESTION)
        assert answer.answer.startswith(ANSWER)
        assert answer.usage["llm_calls"] == 2
    assert ["tools" in request for request in server.requests][-4:] == [False] * 4
    assert [one for one in caplog.messages if "react" in one] == [WARNING.format("takes no tools")]


def test_a_model_that_passes_tools_over_is_asked_for_calls_in_words_from_then_on(
    serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    def reply(body: dict[str, Any]) -> str:
        if "tools" not in body:
            return in_words(body)
        return cited(body) if "<passages" in str(body["messages"]) else SEARCH_IN_WORDS

    server, assistant = serve(reply)
    for _ in range(2):
        assert assistant.ask(QUESTION).answer.startswith(ANSWER)
    assert ["tools" in request for request in server.requests] == [True, True, False, False]
    assert [one for one in caplog.messages if "react" in one] == [WARNING.format("calls tools in words")]
