import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import BaseMessage

from agent.answer import CitedAnswer
from agent.assistant import Assistant
from agent.memory import approximate_tokens
from agent.trace import Trace, UnknownTrace, read_trace
from preprocessing.errors import FolioError
from tests.agent.conftest import prompts_of

SEARCH = "Thought: 要查年假。\nAction: knowledge_search\nAction Input: 转正员工年假"
ANSWER = "Thought: S1 就是。\nFinal Answer: 转正员工年假 12 天。[S1]"
Scripted = Callable[..., Assistant]


def written(home: Path) -> dict[str, Any]:
    (path,) = (home / "traces").glob("*.json")
    return read_trace(home / "traces", path.stem)


def test_an_answer_is_traced_step_by_step(scripted: Scripted) -> None:
    assistant = scripted(SEARCH, ANSWER)
    heard: list[dict[str, Any]] = []
    answer = assistant.ask("转正员工年假有几天？", "s", listen=heard.append)

    record = written(assistant.settings.home)
    assert set(record) == {
        "trace_id",
        "session",
        "question",
        "viewer",
        "model",
        "started_at",
        "seconds",
        "events",
        "llm_calls",
        "usage",
        "answer",
        "error",
    }
    assert (record["trace_id"], record["session"], record["question"]) == (answer.trace_id, "s", "转正员工年假有几天？")
    assert (record["model"], record["error"], record["answer"]) == ("scripted", None, as_read(answer))
    assert record["events"] == heard
    action, observation, finish = record["events"]
    assert (action["event"], action["thought"], action["tool"], action["input"]) == (
        "action",
        "要查年假。",
        "knowledge_search",
        "转正员工年假",
    )
    assert observation["event"] == "observation"
    assert observation["tool"] == "knowledge_search"
    assert "| 试用期员工年假 5 天。转正员工年假 12 天。" in observation["text"]
    assert (finish["event"], finish["thought"]) == ("finish", "S1 就是。")
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


def as_read(answer: CitedAnswer) -> Any:
    """Return the answer as JSON gives it back, which knows no tuples."""
    return json.loads(json.dumps(answer.as_json()))


def test_a_correction_is_no_tool_call(scripted: Scripted) -> None:
    answer = scripted("I would rather chat.", SEARCH, ANSWER).ask("转正员工年假有几天？")
    assert (answer.usage["llm_calls"], answer.usage["tool_calls"]) == (3, 1)


def interrupt(_messages: list[BaseMessage]) -> str:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("reply", "raises", "error"),
    [
        (FolioError("no model"), FolioError, "no model"),
        (interrupt, KeyboardInterrupt, "interrupted"),
        (ZeroDivisionError("a defect"), ZeroDivisionError, "ZeroDivisionError: a defect"),
    ],
)
def test_what_ends_without_an_answer_is_traced(
    scripted: Scripted, reply: Any, raises: type[BaseException], error: str
) -> None:
    assistant = scripted(SEARCH, reply)
    with pytest.raises(raises):
        assistant.ask("转正员工年假有几天？", "s")
    record = written(assistant.settings.home)
    assert (record["answer"], record["error"]) == (None, error)
    assert [event["event"] for event in record["events"]] == ["action", "observation"]
    assert len(record["llm_calls"]) == 1
    assert assistant.sessions.turns("s") == []


def test_a_refusal_is_traced(scripted: Scripted) -> None:
    assistant = scripted(SEARCH, "Final Answer: NOT_FOUND: 股票期权")
    answer = assistant.ask("股票期权怎么行权？")
    record = written(assistant.settings.home)
    assert answer.refused
    assert (record["answer"]["reason"], record["error"]) == ("not_found", None)


def test_half_a_surrogate_pair_does_not_lose_the_trace(tmp_path: Path) -> None:
    trace = Trace("\udcff 年假？", "s")
    trace.write(tmp_path, model="m", answer=None, error=None)
    assert read_trace(tmp_path, trace.trace_id)["question"] == "\udcff 年假？"


def test_a_folder_that_cannot_be_written_costs_only_the_trace(
    scripted: Scripted, caplog: pytest.LogCaptureFixture
) -> None:
    assistant = scripted(SEARCH, ANSWER)
    assistant.settings.home.mkdir()
    (assistant.settings.home / "traces").touch()
    assert not assistant.ask("转正员工年假有几天？").refused
    assert "the trace was not written" in caplog.text


@pytest.mark.parametrize("trace_id", ["0" * 32, "", "../../secret", "..\\x", "A" * 32])
def test_an_unknown_trace_is_one_line(tmp_path: Path, trace_id: str) -> None:
    (tmp_path / "secret.json").write_text("{}", encoding="utf-8")
    with pytest.raises(UnknownTrace) as caught:
        read_trace(tmp_path / "a" / "b", trace_id)
    assert str(caught.value) == (
        f"there is no trace {trace_id!r} in {tmp_path / 'a' / 'b'}; `folio ask` prints the id of each answer"
    )


def test_a_trace_cut_short_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / f"{'0' * 32}.json"
    path.write_text('{"trace_id": ', encoding="utf-8")
    with pytest.raises(UnknownTrace, match=r"is damaged; ask the question again for a new one$"):
        read_trace(tmp_path, "0" * 32)
