import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import BaseMessage

import retrieval.knowledge_base
from agent.assistant import Assistant
from agent.sessions.store import SessionStore
from agent.sessions.turn import Turn
from agent.settings import Settings, SettingsError
from preprocessing.errors import FolioError
from retrieval.knowledge_base import KnowledgeBase
from retrieval.search import SearchError
from retrieval.store.store import StoreLocked
from tests.agent.conftest import LEAVE, model_of, prompts_of
from tests.fakes import CharacterEmbedder, ScriptedChatModel

ROOT = Path(__file__).parents[2]
SEARCH = "Thought: 要查。\nAction: knowledge_search\nAction Input: 转正员工年假"
ANSWER = "Thought: 有了。\nFinal Answer: 转正员工年假 12 天。[S1]"
Scripted = Callable[..., Assistant]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home with one document, for assistants that open everything by themselves."""
    monkeypatch.setattr(retrieval.knowledge_base, "open_embedder", lambda _model: CharacterEmbedder())
    document = tmp_path / "leave.md"
    document.write_text(LEAVE, encoding="utf-8")
    with KnowledgeBase.open(Settings(home=tmp_path / "home")) as knowledge_base:
        knowledge_base.ingest([document])
    return tmp_path / "home"


def test_sessions_survive_a_restart_and_never_mix(home: Path) -> None:
    first = ScriptedChatModel(replies=[SEARCH, ANSWER])
    with Assistant.open(Settings(home=home), model=first) as assistant:
        answer = assistant.ask("转正员工年假有几天？", "mine")
        assistant.ask("VPN 怎么连？", "yours")

    second = ScriptedChatModel(replies=[SEARCH, ANSWER])
    with Assistant.open(Settings(home=home), model=second) as assistant:
        assistant.ask("那试用期呢？", "mine")
        turns = assistant.sessions.turns("mine")
        assert assistant.sessions.sessions() == ["mine", "yours"]
    assert turns[0].question == "转正员工年假有几天？"
    assert (turns[0].answer, turns[0].trace_id) == (answer.answer, answer.trace_id)
    assert [citation["label"] for citation in turns[0].citations] == ["S1"]
    shown = str(second.prompts[0][-1].text)
    assert "User: 转正员工年假有几天？\nAssistant: 转正员工年假 12 天。" in shown
    assert "VPN" not in shown


def test_nothing_is_remembered_where_that_was_asked(home: Path) -> None:
    model = ScriptedChatModel(replies=[SEARCH, ANSWER])
    with Assistant.open(Settings(home=home), model=model, remember=False) as assistant:
        assistant.ask("转正员工年假有几天？", "s", history=[Turn("你好", "您好")])
        assert [turn.question for turn in assistant.sessions.turns("s")] == ["你好", "转正员工年假有几天？"]
    assert "User: 你好\nAssistant: 您好" in str(model.prompts[0][-1].text)
    assert not (home / "sessions.db").exists()


def test_what_fails_is_not_stored_and_the_next_question_is(scripted: Scripted) -> None:
    def interrupt(_messages: list[BaseMessage]) -> str:
        raise KeyboardInterrupt

    assistant = scripted(FolioError("down"), interrupt, SEARCH, ANSWER)
    for raised in (FolioError, KeyboardInterrupt):
        with pytest.raises(raised):
            assistant.ask("转正员工年假有几天？", "s")
    assert assistant.sessions.turns("s") == []
    assistant.ask("转正员工年假有几天？", "s")
    assert len(assistant.sessions.turns("s")) == 1
    assert "(none)" in prompts_of(assistant)[2]


@pytest.mark.parametrize("blank", ["", " \n\t", "\u3000"])
def test_a_blank_question_is_refused_before_anything(scripted: Scripted, blank: str) -> None:
    assistant = scripted(ANSWER)
    with pytest.raises(SearchError, match=r"^the question is blank; "):
        assistant.ask(blank, "s", history=[Turn("q", "a")])
    assert model_of(assistant).prompts == []
    assert assistant.sessions.sessions() == []


def test_a_refusal_is_a_turn_of_a_session_of_its_own(scripted: Scripted) -> None:
    """Bytes that were no text do not stop the question."""
    assistant = scripted("Final Answer: NOT_FOUND")
    first, second = (assistant.ask("\udcff\udcfe 股票期权？") for _ in range(2))
    assert first.session != second.session
    assert assistant.sessions.turns(first.session) == [Turn("?? 股票期权？", first.answer, True, (), first.trace_id)]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("年假？", "知识库里还没有文档。先运行：folio ingest 路径"),
        ("Leave?", "There are no documents yet. First run: folio ingest PATH"),
    ],
)
def test_before_the_first_document(tmp_path: Path, question: str, text: str) -> None:
    with KnowledgeBase.open(Settings(home=tmp_path), embedder=CharacterEmbedder()) as empty:
        sessions = SessionStore.in_memory()
        answer = Assistant(Settings(home=tmp_path), empty, None, sessions).ask(question, "s")
        sessions.close()
    assert (answer.answer, answer.refused, answer.reason, answer.session) == (text, True, "no_documents", "s")
    assert answer.usage == {"llm_calls": 0, "tool_calls": 0, "prompt_tokens": 0, "completion_tokens": 0}
    assert (tmp_path / "traces" / f"{answer.trace_id}.json").is_file()


def test_one_process_a_home(home: Path) -> None:
    with Assistant.open(Settings(home=home)), pytest.raises(StoreLocked, match="is in use by process"):
        Assistant.open(Settings(home=home))
    Assistant.open(Settings(home=home)).close()


def test_an_opening_that_fails_leaves_the_home_free(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "sessions.db").mkdir()
    with pytest.raises(FolioError, match=r"sessions\.db: unable to open"):
        Assistant.open(Settings(home=home))
    (home / "sessions.db").rmdir()
    Assistant.open(Settings(home=home)).close()


def test_a_model_that_is_not_named_is_said_at_once(home: Path) -> None:
    given: dict[str, Any] = {"openai_base_url": "http://localhost:1/v1"}
    with pytest.raises(SettingsError, match="FOLIO_CHAT_MODEL is not"):
        Assistant.open(Settings(home=home, **given))


def test_warming_up_says_nothing_of_what_the_first_question_will_say(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    assistant = scripted(ANSWER)
    asked: list[str] = []

    def broken(_self: CharacterEmbedder, text: str) -> None:
        asked.append(text)
        raise FolioError("no embedder")

    monkeypatch.setattr(CharacterEmbedder, "embed_query", broken)
    assistant.warm()
    assert asked == ["warm up"]


@pytest.fixture
def modules_after_opening(tmp_path: Path) -> Iterator[Callable[..., set[str]]]:
    """Return a function that opens an assistant in a fresh process and says which modules that took."""

    def run(**settings: str) -> set[str]:
        code = (
            "import sys, agent.cli, agent.repl.loop\n"
            "from agent.assistant import Assistant\n"
            "from agent.settings import load_settings\n"
            f"with Assistant.open(load_settings(**{settings!r})) as assistant: print(*sys.modules)\n"
        )
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True, check=True)
        return set(done.stdout.decode().split())

    return run


@pytest.mark.parametrize(
    "settings", [{}, {"openai_base_url": "http://localhost:1/v1", "chat_model": "x"}], ids=["built-in", "server"]
)
def test_opening_imports_nothing_heavy(
    modules_after_opening: Callable[..., set[str]], settings: dict[str, str]
) -> None:
    modules = modules_after_opening(**settings)
    assert "agent.repl.loop" in modules
    heavy = {"torch", "sentence_transformers", "qdrant_client", "openai", "onnxruntime", "pypdf", "docx"}
    assert not {name for name in modules if name.startswith("lang") or name in heavy}
