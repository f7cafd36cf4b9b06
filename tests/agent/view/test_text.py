from dataclasses import replace
from typing import Any

import pytest

from agent.answer import Citation, CitedAnswer
from agent.view.text import (
    answer_text,
    event_text,
    print_answer,
    print_event,
    printable,
    trace_text,
)

ANSWER = CitedAnswer(
    "每晚 500 元。[S1] 餐补 100 元。[S2]",
    refused=False,
    reason=None,
    citations=(
        Citation("S1", "c1", "docs/差旅.pdf", "差旅 > 住宿", 3, "每晚 500 元。"),
        Citation("S2", "c2", "docs/餐补.md", "", None, "餐补 100 元。"),
    ),
    trace_id="a" * 32,
)


@pytest.mark.parametrize(
    ("question", "sources"),
    [
        ("住宿？", "来源：\n  [S1] docs/差旅.pdf › 差旅 › 住宿 › 第 3 页\n  [S2] docs/餐补.md"),
        ("Hotel?", "Sources:\n  [S1] docs/差旅.pdf › 差旅 › 住宿 › p. 3\n  [S2] docs/餐补.md"),
    ],
)
def test_an_answer_stands_above_its_sources(question: str, sources: str) -> None:
    assert answer_text(question, ANSWER) == f"{ANSWER.answer}\n\n{sources}"


ACTION = {
    "event": "action",
    "at_seconds": 1.234,
    "thought": "要查。",
    "tool": "knowledge_search",
    "input": "住宿\n餐补",
}
HIT = {
    "query": "住宿",
    "chunk_id": "c1",
    "source": "a.md",
    "section": "差旅 > 住宿",
    "score": 0.03125,
    "legs": {"vector": {"rank": 2, "score": 0.5}, "fused": {"rank": 1, "score": 0.03125}},
}
OBSERVATION = {
    "event": "observation",
    "at_seconds": 2.0,
    "tool": "knowledge_search",
    "text": "[S1] …",
    "hits": [HIT, HIT | {"section": "", "legs": {}}],
    "seconds": 0.0456,
}


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (
            ACTION,
            "[  1.23 s] thought       要查。\n"
            "           tool          knowledge_search\n"
            "           input         住宿\n"
            "                         餐补",
        ),
        (
            OBSERVATION,
            "[  2.00 s] observation   0.046 s\n"
            "           0.0312  a.md › 差旅 > 住宿  vector #2 (0.5000)  fused #1 (0.0312)\n"
            "           0.0312  a.md  ",
        ),
        (
            OBSERVATION | {"hits": [], "text": "1. 住宿\n2. 餐补"},
            "[  2.00 s] observation   0.046 s\n           1. 住宿\n           2. 餐补",
        ),
        ({"event": "finish", "at_seconds": 12.0, "thought": "够了。"}, "[ 12.00 s] finish        够了。"),
    ],
)
def test_each_decision_has_its_time(event: dict[str, Any], text: str) -> None:
    assert event_text(event) == text


RECORD: dict[str, Any] = {
    "trace_id": "a" * 32,
    "session": "s",
    "question": "住宿？",
    "model": "offline",
    "started_at": "2026-01-02T03:04:05.678+00:00",
    "seconds": 1.5,
    "events": [{"event": "finish", "at_seconds": 1.0, "thought": ""}],
    "llm_calls": [],
    "usage": {"llm_calls": 2, "tool_calls": 1, "prompt_tokens": 30, "completion_tokens": 4},
    "answer": {"answer": "每晚 500 元。[S1]"},
    "error": None,
}
HEAD = (
    "question   住宿？\n"
    "session    s\n"
    "model      offline\n"
    "started    2026-01-02T03:04:05.678+00:00   1.50 s\n"
    "usage      2 model calls, 1 tool calls, 30 + 4 tokens\n"
    "\n"
    "[  1.00 s] finish        \n"
    "\n"
)


def test_a_trace_shows_replies_and_what_became_of_each_claim() -> None:
    call = {"seconds": 0.524, "prompt_tokens": 1450, "completion_tokens": 60}
    checks = [
        {"status": "supported", "claim": "每晚 500 元。[S1]", "reason": ""},
        {"status": "removed", "claim": "餐补\n200 元。[S1]", "reason": "[S1] does not hold 200 元"},
    ]
    shown = trace_text(
        RECORD
        | {
            "history": [{}, {}],
            "llm_calls": [call],
            "failed_calls": [{"after_calls": 1, "type": "ModelError", "text": "down"}],
            "limit": {"limit": "10 s (FOLIO_MAX_SECONDS)", "after_calls": 1},
            "answer": {"answer": "每晚 500 元。[S1]", "checks": checks},
        }
    )
    assert shown == HEAD.replace("session    s", "session    s   2 questions before") + (
        "reply 1    0.52 s   1450 + 60 tokens\n"
        "no reply   after 1: down\n"
        "limit      10 s (FOLIO_MAX_SECONDS)\n"
        "\n"
        "supported   每晚 500 元。[S1]\n"
        "removed     餐补 200 元。[S1]   [S1] does not hold 200 元\n"
        "\n"
        "每晚 500 元。[S1]"
    )


def test_what_a_person_should_know_stands_above_the_answer() -> None:
    told = replace(ANSWER, notices=("提示：一。", "提示：二。"))
    assert answer_text("住宿？", told).startswith(f"提示：一。\n提示：二。\n\n{ANSWER.answer}\n\n来源：\n")
    refusal = CitedAnswer("没有找到。", refused=True, reason="not_found", notices=("提示：一。",))
    assert answer_text("住宿？", refusal) == "提示：一。\n\n没有找到。"


def test_nothing_steers_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert printable("a\x1b[2J\x07b\r\x9bc\td\n年假✅𠮷") == "a[2Jbc\td\n年假✅𠮷"
    evil = CitedAnswer("\x1b]0;title\x07每晚。[S1]", False, None, trace_id="a" * 32)
    print_answer("住宿？", evil)
    print_event(ACTION | {"thought": "\x1b[31m"})
    captured = capsys.readouterr()
    assert "\x1b" not in captured.out + captured.err
    assert captured.err.startswith("[  1.23 s] thought       [31m\n")
