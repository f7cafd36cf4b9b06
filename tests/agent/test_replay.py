"""A recorded question is answered again from its record alone, to the same answer."""

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.assistant import Assistant
from agent.loop.steering import Limits
from agent.models.errors import ContextOverflow, ModelError
from agent.replay import Found, NotReplayable, Replayed, replay, replay_live
from agent.sessions.store import SessionStore
from agent.sessions.turn import Turn
from agent.settings import Settings
from preprocessing.errors import FolioError
from retrieval.knowledge_base import KnowledgeBase
from retrieval.search import SearchError
from tests.agent.chat_server import ChatServer, events
from tests.agent.conftest import ANSWER, LEAVE, SEARCH, VPN, Scripted
from tests.fakes import CharacterEmbedder, ScriptedChatModel

REWRITE = "Thought: 追问。\nAction: query_rewrite\nAction Input: 那试用期呢？"
WRONG = "Thought: S1 就是。\nFinal Answer: 转正员工年假 15 天。[S1]"
QUESTION = "转正员工年假有几天？"
SETTINGS = Settings()
NOT_FOUND = "Final Answer: NOT_FOUND: 股票期权"


def recorded(assistant: Assistant, question: str = QUESTION, **asked: Any) -> dict[str, Any]:
    """Ask, and return the trace as it is read from its file."""
    answer = assistant.ask(question, "s", **asked)
    return assistant.traces.read(answer.trace_id)


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, Any]], Replayed]:
    """Return a replay in which nothing can be searched or embedded."""

    def fails(*_asked: object, **_named: object) -> None:
        raise AssertionError("a replay must not need this")

    def run(record: dict[str, Any]) -> Replayed:
        with monkeypatch.context() as closed:
            closed.setattr(KnowledgeBase, "search", fails)
            closed.setattr(CharacterEmbedder, "embed_query", fails)
            closed.setattr(CharacterEmbedder, "embed_passages", fails)
            return replay(record, SETTINGS)

    return run


Alone = Callable[[dict[str, Any]], Replayed]


TURNS = [Turn("试用期员工年假有几天？", "试用期员工年假 5 天。[S1]"), Turn("转正后呢？", "12 天。[S2]", stale="void")]


@pytest.mark.parametrize(
    ("replies", "asked", "settings"),
    [
        ([SEARCH, ANSWER], {}, {}),
        ([SEARCH, NOT_FOUND, NOT_FOUND], {}, {}),
        ([SEARCH, NOT_FOUND, ANSWER], {}, {}),
        ([SEARCH, WRONG, ANSWER], {}, {}),
        ([SEARCH, WRONG, WRONG], {}, {}),
        (["I would rather chat.", SEARCH, SEARCH, SEARCH, ANSWER], {}, {}),
        (["no", "idea", "at all"], {}, {}),
        ([SEARCH, "", "", "", ModelError("down")], {}, {}),
        ([ContextOverflow("too long", 900), SEARCH, ContextOverflow("too long", None), ANSWER], {}, {}),
        ([REWRITE, "试用期员工年假有几天？", SEARCH, ANSWER], {"history": TURNS}, {}),
        ([SEARCH, ANSWER], {"top_k": 1, "filters": {"doc_type": ("md",)}, "viewer": ["hr"]}, {}),
        ([SEARCH, ANSWER], {}, {"max_tokens": 900}),
        ([SEARCH, ANSWER], {}, {"max_iterations": 1}),
        ([SEARCH, ANSWER, "- 年假"], {"history": TURNS * 9}, {"history_tokens": 150}),
    ],
    ids=(
        "plain refusal doubted repaired removed corrected astray quoted overflow rewritten narrowed tokens cap summary"
    ).split(),
)
def test_the_answer_is_the_same_byte_for_byte(
    scripted: Scripted, alone: Alone, replies: list[Any], asked: dict[str, Any], settings: dict[str, Any]
) -> None:
    record = recorded(scripted(*replies, **settings), **asked)
    again = alone(record)
    assert (again.trace_id, again.diff, again.searches) == (record["trace_id"], (), ())
    # What it compares is the answer, so another one is noticed.
    record["answer"]["answer"] += "!"
    assert not alone(record).is_same


def test_what_time_decided_is_decided_again(scripted: Scripted, alone: Alone, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = "10 s (FOLIO_MAX_SECONDS)"
    monkeypatch.setattr(Limits, "_reached", lambda limits: slow if limits.spent_tokens() else None)
    record = recorded(scripted(SEARCH, ANSWER))
    monkeypatch.undo()
    assert record["limit"] == {"limit": slow, "after_calls": 1}
    assert "Answer the question from these passages only" in record["llm_calls"][1]["prompt"]
    assert alone(record).is_same


@pytest.mark.parametrize("error", [TimeoutError("slow"), SearchError("broken"), ConnectionError("gone")])
def test_a_search_that_failed_fails_again(
    scripted: Scripted, alone: Alone, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    assistant = scripted(SEARCH, SEARCH, ANSWER)
    search, left = assistant.knowledge_base.search, [error]

    def fails_once(*asked: Any, **named: Any) -> Any:
        if left:
            raise left.pop()
        return search(*asked, **named)

    monkeypatch.setattr(assistant.knowledge_base, "search", fails_once)
    record = recorded(assistant)
    assert record["searches"][0] == {
        "query": "转正员工年假",
        "error": {"type": type(error).__name__, "text": str(error)},
    }
    assert record["answer"]["answer"] == "转正员工年假 12 天。[S1]"
    assert alone(record).is_same


@pytest.mark.enable_socket
@pytest.mark.parametrize(
    ("arguments", "kept_as"), [('{"input": "转正员工年假"}', "tool_calls"), ("转正员工年假", "invalid_tool_calls")]
)
def test_native_tool_calls_are_replayed(
    knowledge_base: KnowledgeBase, tmp_path: Path, alone: Alone, arguments: str, kept_as: str
) -> None:
    call = {"index": 0, "id": "c", "type": "function", "function": {"name": "knowledge_search", "arguments": arguments}}
    choice = {"index": 0, "delta": {"role": "assistant", "tool_calls": [call]}, "finish_reason": "tool_calls"}
    calling = events(json.dumps({"id": "c", "object": "chat.completion.chunk", "created": 1, "choices": [choice]}))
    with ChatServer([calling, "转正员工年假 12 天。[S1]"]) as server:
        settings = Settings(home=tmp_path, chat_model="m", openai_base_url=server.url, agent_style="tools")
        sessions = SessionStore.in_memory()
        record = recorded(Assistant(settings, knowledge_base, None, sessions))
        sessions.close()
    assert record["llm_calls"][0][kept_as][0]["name"] == "knowledge_search"
    assert (record["run"]["style"], record["answer"]["answer"]) == ("tools", "转正员工年假 12 天。[S1]")
    assert alone(record).is_same


@pytest.fixture
def offline(tmp_path: Path) -> Iterator[Assistant]:
    """Return an assistant with the built-in model, on documents of its own."""
    settings = Settings(home=tmp_path / "home")
    with KnowledgeBase.open(settings, embedder=CharacterEmbedder()) as base:
        for name, text in (("leave.md", LEAVE), ("vpn.md", VPN)):
            base.ingest_data(text.encode(), name)
        sessions = SessionStore.in_memory()
        yield Assistant(settings, base, None, sessions)
        sessions.close()


@pytest.mark.parametrize("question", [QUESTION, "股票期权怎么行权？", "年假和病假分别怎么规定？"])
def test_the_built_in_model_is_replayed(offline: Assistant, alone: Alone, question: str) -> None:
    assert alone(recorded(offline, question)).is_same


def test_a_record_is_found_to_be_other_than_the_code_that_answers_now(scripted: Scripted) -> None:
    record = recorded(scripted(SEARCH, ANSWER))
    other = copy.deepcopy(record)
    other["llm_calls"][1]["reply"] = "Final Answer: 试用期员工年假 5 天。[S1]"
    diff = replay(other, SETTINGS).diff
    assert diff[:2] == ("--- recorded", "+++ replayed")
    assert '- "answer": "转正员工年假 12 天。[S1]",' in diff
    assert '+ "answer": "试用期员工年假 5 天。[S1]",' in diff
    fewer = copy.deepcopy(record)
    del fewer["llm_calls"][1]
    assert replay(fewer, SETTINGS).diff == ("! the model is asked more often than the 1 times that are recorded",)
    unsearched = copy.deepcopy(record)
    unsearched["searches"] = []
    assert replay(unsearched, SETTINGS).diff == ("! what a search for '转正员工年假' finds is not recorded",)


def test_what_cannot_be_replayed_is_one_line(scripted: Scripted, tmp_path: Path) -> None:
    assistant = scripted(SEARCH, FolioError("the model is away"))
    with pytest.raises(FolioError, match="away"):
        assistant.ask(QUESTION)
    (path,) = (assistant.settings.home / "traces").glob("*.json")
    record = assistant.traces.read(path.stem)
    with pytest.raises(NotReplayable, match=r"has no answer to compare with; it ended with: the model is away$"):
        replay(record, SETTINGS)
    del record["searches"]
    with pytest.raises(NotReplayable, match=r"was written by an earlier version of Folio; ask the question again$"):
        replay(record, SETTINGS)


def test_before_the_first_document_there_is_nothing_to_differ(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    with KnowledgeBase.open(settings, embedder=CharacterEmbedder()) as empty:
        sessions = SessionStore.in_memory()
        record = recorded(Assistant(settings, empty, None, sessions))
        sessions.close()
        assert replay(record, SETTINGS).is_same
        with pytest.raises(NotReplayable, match="there were no documents then"):
            replay_live(record, settings, empty)


def live(record: dict[str, Any], assistant: Assistant) -> Replayed:
    return replay_live(record, assistant.settings, assistant.knowledge_base)


def test_todays_index_may_change_hits_and_answer(offline: Assistant) -> None:
    record = recorded(offline)
    same = live(record, offline)
    assert (same.is_same, same.searches) == (True, ())
    # Chunked anew, but in the same words.
    offline.knowledge_base.ingest_data(LEAVE.encode(), "leave.md", {"department": "hr"})
    assert live(record, offline).searches == ()

    offline.knowledge_base.ingest_data(LEAVE.replace("12 天", "15 天").encode(), "leave.md")
    changed = live(record, offline)
    (search,) = changed.searches
    lost, gained = (f"试用期员工年假 5 天。转正员工年假 {days} 天。" for days in (12, 15))
    assert search.lost == (Found(1, "leave.md", "年假", lost),)
    assert search.gained == (Found(1, "leave.md", "年假", gained),)
    assert {"-转正员工年假 12 天。", "+转正员工年假 15 天。"} <= {line.partition(" [")[0] for line in changed.diff}
    # The record itself is as it was.
    assert replay(record, SETTINGS).is_same


def test_recorded_replies_are_checked_against_what_is_found_today(offline: Assistant, tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "home", chat_model="m", openai_base_url="http://127.0.0.1:9/v1")
    model = ScriptedChatModel(replies=[SEARCH, ANSWER])
    assistant = Assistant(settings, offline.knowledge_base, model, offline.sessions)
    record = recorded(assistant)
    assert live(record, assistant).is_same
    offline.knowledge_base.ingest_data(LEAVE.replace("12 天", "15 天").encode(), "leave.md")
    diff = live(record, assistant).diff
    assert '- "answer": "转正员工年假 12 天。[S1]",' in diff
    assert len(model.prompts) == 2


def test_a_replay_is_of_the_viewer_and_the_filters_of_then(offline: Assistant) -> None:
    offline.knowledge_base.ingest_data(
        b"---\nvisible_to: [board]\n---\n# \xe5\xb9\xb4\xe5\x81\x87\n\n" + LEAVE.encode(), "board.md"
    )
    record = recorded(offline, viewer=["board"], filters={"source": ("board.md",)})
    assert [hit["chunk"]["source"] for hit in record["searches"][0]["hits"]] == ["board.md"] * 2
    assert live(record, offline).searches == ()
