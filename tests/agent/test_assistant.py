import subprocess
import sys
from pathlib import Path

import pytest

import retrieval.knowledge_base
from agent.assistant import Assistant
from agent.sessions.store import SessionStore
from agent.sessions.turn import Turn
from agent.settings import Settings
from preprocessing.errors import FolioError
from retrieval.knowledge_base import KnowledgeBase
from retrieval.search import SearchError
from tests.agent.conftest import ANSWER, LEAVE, SEARCH, Scripted, model_of
from tests.fakes import CharacterEmbedder, ScriptedChatModel

ROOT = Path(__file__).parents[2]


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


@pytest.mark.parametrize("blank", ["", " \n\t", "\u3000"])
def test_a_blank_question_is_refused_before_anything(scripted: Scripted, blank: str) -> None:
    assistant = scripted(ANSWER)
    with pytest.raises(SearchError, match=r"^the question is blank; "):
        assistant.ask(blank, "s", history=[Turn("q", "a")])
    assert model_of(assistant).prompts == []
    assert assistant.sessions.sessions() == []


def test_before_the_first_document(tmp_path: Path) -> None:
    with KnowledgeBase.open(Settings(home=tmp_path), embedder=CharacterEmbedder()) as empty:
        sessions = SessionStore.in_memory()
        answer = Assistant(Settings(home=tmp_path), empty, None, sessions).ask("年假？", "s")
        sessions.close()
    assert answer.answer == "知识库里还没有文档。先运行：folio ingest 路径"
    assert (answer.refused, answer.reason, answer.session) == (True, "no_documents", "s")
    assert answer.usage == {"llm_calls": 0, "tool_calls": 0, "prompt_tokens": 0, "completion_tokens": 0}
    assert (tmp_path / "traces" / f"{answer.trace_id}.json").is_file()


def test_an_opening_that_fails_leaves_the_home_free(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "sessions.db").mkdir()
    with pytest.raises(FolioError, match=r"sessions\.db: unable to open"):
        Assistant.open(Settings(home=home))
    (home / "sessions.db").rmdir()
    Assistant.open(Settings(home=home)).close()


def test_opening_imports_nothing_heavy(tmp_path: Path) -> None:
    code = (
        "import sys, agent.repl.loop\n"
        "from agent.assistant import Assistant\n"
        "from agent.settings import load_settings\n"
        "with Assistant.open(load_settings(openai_base_url='http://localhost:1/v1', chat_model='x')):\n"
        "    print(*sys.modules)\n"
    )
    environment = {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, check=True)
    heavy = {"torch", "sentence_transformers", "qdrant_client", "openai", "onnxruntime", "pypdf", "docx"}
    assert not {name for name in done.stdout.decode().split() if name.startswith("lang") or name in heavy}
