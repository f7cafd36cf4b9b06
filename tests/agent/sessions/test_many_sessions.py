"""Fifty sessions at once, with interleaved questions: no answer and no memory crosses."""

import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from threading import Barrier

import pytest
from langchain_core.messages import BaseMessage

from agent.assistant import Assistant
from agent.sessions.store import SessionStore
from agent.settings import OFFLINE, Settings
from retrieval.knowledge_base import KnowledgeBase
from tests.fakes import CharacterEmbedder, ScriptedChatModel

SESSIONS = 50
_CODE = re.compile(r"PRJ-\d{4}")


def code(number: int) -> str:
    return f"PRJ-{1000 + number}"


def questions(number: int) -> Iterator[tuple[str, str]]:
    """Yield what a session asks, and the number that only its own answer holds."""
    while True:
        yield f"{code(number)} 的差旅额度是多少元？", f"{2000 + number} 元"
        yield "那住宿标准呢？", f"{3000 + number} 元"


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    home = tmp_path_factory.mktemp("many") / "home"
    with KnowledgeBase.open(Settings(home=home, rerank="none"), embedder=CharacterEmbedder()) as base:
        for number in range(SESSIONS):
            name = code(number)
            text = f"# {name}\n\n{name} 的差旅额度是 {2000 + number} 元。\n\n{name} 的住宿标准是 {3000 + number} 元。\n"
            assert not base.ingest_data(text.encode(), f"{name}.md").failed
        yield base


def reply(messages: list[BaseMessage]) -> str:
    """Do what the prompt asks for, with nothing but what stands in it, and notice a conversation of somebody else."""
    prompt = str(messages[-1].text)
    if prompt.startswith("Shorten the beginning"):
        (mine,) = set(_CODE.findall(prompt))
        return f"- {mine}"
    if prompt.startswith("Rewrite a question"):
        (mine,) = set(_CODE.findall(prompt.rpartition("Conversation:\n")[2]))
        return f"{mine} 的住宿标准是多少元？"
    conversation, _, steps = prompt.partition("\n\nMark: ")
    asked = re.search(r"^Question: (.*)$", steps, re.MULTILINE)
    assert asked
    (mine,) = set(_CODE.findall(f"{conversation}\n{asked[1]}"))
    if "\nAction: knowledge_search" in steps:
        what = "住宿标准" if "住宿" in asked[1] else "差旅额度"
        found = re.search(rf"^\| ({mine} 的{what}是 \d+ 元。)", steps, re.MULTILINE)
        assert found, steps
        label = re.findall(r"^\[(S\d+)\]", steps[: found.start()], re.MULTILINE)[-1]
        return f"Thought: 有了。\nFinal Answer: {found[1]}[{label}]"
    if "Action: query_rewrite" in steps:
        return f"Thought: 查。\nAction: knowledge_search\nAction Input: {mine} 的住宿标准是多少元？"
    tool = "knowledge_search" if mine in asked[1] else "query_rewrite"
    return f"Thought: 查。\nAction: {tool}\nAction Input: {asked[1]}"


def talk(assistant: Assistant, goes_on: Callable[[int], bool]) -> int:
    """Let every session ask in a thread of its own, and return how many questions were answered."""
    ready = Barrier(SESSIONS)

    def one(number: int) -> int:
        session = f"session-{number}"
        ready.wait()
        for asked, (question, expected) in enumerate(questions(number)):
            if not goes_on(asked):
                return asked
            answer = assistant.ask(question, session)
            assert (answer.session, answer.refused) == (session, False)
            assert expected in answer.answer
            assert set(_CODE.findall(answer.answer)) == {code(number)}
        raise AssertionError

    with ThreadPoolExecutor(SESSIONS) as pool:
        asked = list(pool.map(one, range(SESSIONS)))
    for number, times in enumerate(asked):
        turns = assistant.sessions.turns(f"session-{number}")
        said = list(islice(questions(number), times))[-len(turns) :]
        for turn, (question, expected) in zip(turns, said, strict=True):
            assert turn.question == question
            assert expected in turn.answer
        record = assistant.traces.read(turns[-1].trace_id)
        assert {code for turn in record["history"] for code in _CODE.findall(str(turn))} <= {code(number)}
    return sum(asked)


BOTH = pytest.mark.parametrize(
    ("new_database", "assistant"), [("sqlite", OFFLINE), ("postgresql", "scripted")], indirect=True
)


@pytest.fixture
def assistant(
    request: pytest.FixtureRequest, base: KnowledgeBase, new_database: Callable[[], str], tmp_path: Path
) -> Iterator[Assistant]:
    """Return an assistant with the model of that name, which keeps its sessions in a database."""
    given = None if request.param == OFFLINE else ScriptedChatModel(replies=[reply])
    url = None if request.param == OFFLINE else "http://127.0.0.1:9/v1"
    settings = Settings(home=tmp_path, chat_model=request.param, openai_base_url=url, history_tokens=160, rerank="none")
    sessions = SessionStore.at(new_database())
    yield Assistant(settings, base, given, sessions)
    sessions.close()


@BOTH
def test_fifty_sessions_at_once(assistant: Assistant) -> None:
    assert talk(assistant, lambda asked: asked < 2) == 2 * SESSIONS


@BOTH
@pytest.mark.soak
def test_fifty_sessions_for_a_minute(assistant: Assistant) -> None:
    ends = time.monotonic() + 60
    assert talk(assistant, lambda asked: asked < 2 or time.monotonic() < ends) > 2 * SESSIONS
