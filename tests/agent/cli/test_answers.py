import json
from pathlib import Path
from typing import Any

import pytest

from tests.agent.chat_server import ChatServer, Raw
from tests.agent.cli.conftest import Folio

KEY = "sk-very-secret-0123456789"


def test_search(ready: Folio) -> None:
    found = ready("search", "转正员工年假 12 天", "--json").json()
    assert set(found) == {"query", "hits"}
    assert found["query"] == "转正员工年假 12 天"
    assert [hit["rank"] for hit in found["hits"]] == list(range(1, len(found["hits"]) + 1))
    best = found["hits"][0]
    fields = {"rank", "score", "chunk_id", "doc_id", "source", "section", "page", "text", "legs"}
    assert set(best) == fields | {"also_in", "superseded_by", "answerability"}
    assert (best["section"], best["page"]) == ("年假", None)
    assert best["text"] == "试用期员工年假 5 天。转正员工年假 12 天。"
    assert set(best["legs"]) == {"vector", "keyword", "fused", "rerank"}
    assert best["legs"]["rerank"] is None
    assert [set(best["legs"][leg]) for leg in ("vector", "keyword", "fused")] == [{"rank", "score"}] * 3
    # Both legs put it first: two times 1 / (60 + 1).
    assert (best["score"], best["legs"]["fused"]["score"]) == (2 / 61, 2 / 61)
    (one,) = ready("search", "年假", "--mode", "vector", "--k", "1", "--no-rerank", "--json").json()["hits"]
    assert [leg for leg, place in one["legs"].items() if place] == ["vector", "fused"]


def test_a_file_of_queries_is_answered_in_order(ready: Folio, tmp_path: Path) -> None:
    path = tmp_path / "queries.jsonl"
    queries = ["VPN", "年\u2028假", "病假\x0c工资"]
    lines = [json.dumps({"query": query, "query_id": "q"}, ensure_ascii=False) for query in queries]
    path.write_text("\ufeff" + "\r\n\n".join(lines), encoding="utf-8", newline="")
    results = [json.loads(line) for line in ready("search", "--queries", path).out.rstrip("\n").split("\n")]
    assert [result["query"] for result in results] == queries
    assert [Path(result["hits"][0]["source"]).name for result in results] == ["vpn_en.md", "leave.md", "leave.md"]


def test_viewers_see_what_is_theirs(folio: Folio, docs: Path) -> None:
    assert folio("ingest", docs, "--meta", "visible_to=hr").code == 0
    assert folio("search", "年假", "--json").json()["hits"] == []
    assert folio("search", "年假", "--viewer", "it", "--viewer", "hr", "--json").json()["hits"]
    assert folio("ask", "转正员工年假有几天？", "--json").json()["refused"]


def test_ask(ready: Folio) -> None:
    done = ready("ask", "转正员工年假有几天？", "--json")
    assert (done.code, done.err) == (0, "")
    answer = done.json()
    assert set(answer) == {"answer", "refused", "reason", "citations", "checks", "usage", "session", "trace_id"}
    assert (answer["refused"], answer["reason"]) == (False, None)
    assert "转正员工年假 12 天。 [S1]" in answer["answer"]
    (citation,) = answer["citations"]
    assert set(citation) == {"label", "chunk_id", "source", "section", "page", "quote"}
    assert (citation["label"], citation["section"], citation["page"]) == ("S1", "年假", None)
    assert citation["quote"] in "试用期员工年假 5 天。转正员工年假 12 天。"
    assert set(answer["usage"]) == {"llm_calls", "tool_calls", "prompt_tokens", "completion_tokens"}
    assert (answer["usage"]["llm_calls"], answer["usage"]["tool_calls"]) == (2, 1)


def test_a_session_goes_on(ready: Folio) -> None:
    ready("ask", "转正员工年假有几天？", "--session", "s")
    answer = ready("ask", "那病假呢？", "--session", "s", "--json").json()
    assert (answer["session"], answer["usage"]["tool_calls"]) == ("s", 2)
    trace = ready("trace", "show", answer["trace_id"], "--json").json()
    assert [event["tool"] for event in trace["events"] if event["event"] == "action"] == [
        "query_rewrite",
        "knowledge_search",
    ]


def test_a_file_of_questions_with_history(ready: Folio, tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    history = [{"role": "user", "text": "转正员工年假有几天？"}, {"role": "assistant", "text": "12 天"}]
    lines: list[dict[str, Any]] = [
        {"query": "那病假呢？", "history": history, "gold": ["x"]},
        {"query": "那病假呢？"},
        {"query": "转正员工年假有几天？", "history": None},
    ]
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    done = ready("ask", "--questions", path)
    assert (done.code, done.err) == (0, "")
    answers = done.lines()
    assert len({answer["session"] for answer in answers}) == 3
    # Only the first is a follow-up of something, and what came before it on other lines is not its conversation.
    assert [answer["usage"]["tool_calls"] for answer in answers] == [2, 1, 1]


def test_a_question_before_any_document(folio: Folio) -> None:
    answer = folio("ask", "年假有几天？", "--json")
    assert answer.code == 0
    assert (answer.json()["refused"], answer.json()["reason"]) == (True, "no_documents")
    assert folio("search", "年假").is_one_line


def test_trace(ready: Folio, tmp_path: Path) -> None:
    answer = ready("ask", "转正员工年假有几天？", "--json").json()
    trace_id = answer["trace_id"]
    assert ready("trace", "show", trace_id, "--json").json()["answer"] == answer
    told = ready("trace", "show", trace_id).out
    assert told.startswith("question   转正员工年假有几天？\n")
    assert "model      offline\n" in told
    assert ready("trace", "show", "nosuch").is_one_line


def test_a_key_that_is_refused_is_shown_nowhere(ready: Folio, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with ChatServer([Raw(401, json.dumps({"error": {"message": f"bad key {KEY}"}}))]) as server:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("FOLIO_CHAT_MODEL", "m")
        done = ready("ask", "年假有几天？", "--session", "s", "--verbose")
    assert done.is_one_line
    assert done.err == f"folio: the chat model 'm' at {server.host} refused the key; check OPENAI_API_KEY\n"
    (trace,) = (tmp_path / "home" / "traces").glob("*.json")
    assert KEY not in trace.read_text(encoding="utf-8")
    told = ready("trace", "show", trace.stem)
    assert told.out.endswith("refused the key; check OPENAI_API_KEY\n")
    files = [path for path in (tmp_path / "home").rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if KEY.encode() in path.read_bytes()]
