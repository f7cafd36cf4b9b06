from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from agent.assistant import Assistant
from agent.repl.commands import COMMANDS, ENDING
from agent.repl.conversation import Conversation
from agent.repl.loop import take
from agent.repl.texts import TEXTS
from agent.sessions.store import SessionStore
from agent.settings import Settings
from preprocessing.errors import FolioError
from retrieval.knowledge_base import KnowledgeBase
from tests.agent.conftest import ANSWER, LEAVE, SEARCH, VPN, Scripted
from tests.fakes import CharacterEmbedder, ScriptedChatModel

Say = Callable[..., str]


@pytest.fixture
def say(conversation: Conversation, capsys: pytest.CaptureFixture[str]) -> Say:
    """Return a function that types a line and returns what is written."""

    def run(text: str, to: Conversation | None = None) -> str:
        assert take(to or conversation, text)
        return capsys.readouterr().out

    return run


def test_help_is_whole_and_in_the_language_of_the_conversation(say: Say) -> None:
    for typed, language in (
        ("/help", "en"),
        ("转正员工年假有几天？\n", None),
        ("/HELP ", "zh"),
        ("VPN?", None),
        ("／help", "en"),
    ):
        written = say(typed)
        if language:
            assert written == TEXTS[language]["help"] + "\n"
            assert all(f"\n{command} " in written for command in (*COMMANDS, ENDING[0]))


@pytest.mark.parametrize(
    ("locale", "language"),
    [
        ({"LC_ALL": "en_GB.UTF-8", "LANG": "zh_CN"}, "en"),
        ({"LANG": "zh_TW"}, "zh"),
        ({}, "en"),
    ],
)
def test_the_first_language_is_that_of_the_locale(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch, locale: dict[str, str], language: str
) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in locale.items():
        monkeypatch.setenv(name, value)
    assert Conversation(scripted()).language == language


def test_sources_and_trace(say: Say) -> None:
    assert say("/trace") == "nothing was asked yet\n"
    assert say("/sources") == "the last answer has no sources\n"
    say("转正员工年假有几天？")
    first, quote = say("/sources").splitlines()
    assert first.startswith("[S1] ")
    assert first.endswith("leave.md")
    assert quote == "转正员工年假 12 天。"
    whole = say("/sources 1")
    assert whole == f"{first}\n休假制度 > 年假\n\n试用期员工年假 5 天。转正员工年假 12 天。\n"
    assert whole == say("/sources S1") == say("/sources [s1]")
    assert say("/trace").startswith("question   转正员工年假有几天？\n")
    assert say("/sources 7") == "! 上一个回答没有来源 7；有 S1\n"


def test_sessions(say: Say, conversation: Conversation) -> None:
    assert say("/sessions") == "none yet\n"
    say("转正员工年假\n有几天？")
    assert say("/sessions") == "* s  转正员工年假 有几天？\n"
    begun = say("/new").removeprefix("对话 ").strip()
    assert begun == conversation.session != "s"
    assert say("/sources") == "上一个回答没有引用来源\n"
    assert say("/trace") == "还没有提问\n"
    say("VPN?")
    assert say("/sessions") == f"* {begun}  VPN?\n  s  转正员工年假 有几天？\n"
    assert say("/sessions nosuch") == "! there is no session nosuch; /sessions lists them\n"
    assert say("/sessions s") == "session s\n"
    assert conversation.session == "s"


def test_sessions_do_not_show_what_other_groups_asked(say: Say, conversation: Conversation) -> None:
    conversation.viewer = ("board",)
    say("秘密的年假？")
    assert say("/sessions") == "* s  秘密的年假？\n"
    conversation.viewer = ()
    assert say("/sessions") == "* s\n"


def test_filter_and_day(say: Say, conversation: Conversation) -> None:
    for typed, written in (
        ("/filter", "no filter\n"),
        ("/filter source=*leave.md page>=2 'title=a b'", "filter: source=*leave.md page>=2 title=a b\n"),
        ("/filter pdf", "! filter 'pdf' is not key=value; a right one is doc_type=pdf\n"),
        ("/filter doc_type=md doc_type=pdf", "filter: doc_type=md doc_type=pdf\n"),
        ("/as-of", "answers by what is in force today\n"),
        ("/as-of 2024年1月31日", "answers by what was in force on 2024-01-31\n"),
        ("/as-of soon", "! /as-of 'soon' is not a day; a right one is /as-of 2024-01-31\n"),
    ):
        assert say(typed) == written
    assert (conversation.filters, conversation.as_of) == ({"doc_type": ("md", "pdf")}, date(2024, 1, 31))
    assert say("/filter off") + say("/as-of OFF") == "no filter\nanswers by what is in force today\n"
    assert (conversation.filters, conversation.as_of) == ({}, None)


def test_why_not(say: Say) -> None:
    usage = "! write /why-not DOC [QUESTION]; without a question it is the last one\n"
    assert say("/why-not") == say("/why-not leave.md") == usage
    assert "is found: it is hit 1" in say("/why-not vpn_en.md When are VPN sessions closed?")
    assert "it's not" not in say("/why-not vpn_en.md it's VPN")
    assert say("/why-not nosuch.md VPN").startswith("nosuch.md is not in the knowledge base")
    say("转正员工年假有几天？")
    assert "找到了，是第 1 条结果" in say("/why-not leave.md")
    say("/filter doc_type=pdf")
    assert "不符合筛选条件 doc_type" in say("/why-not leave.md")


def test_ingest(tmp_path: Path, say: Say) -> None:
    settings = Settings(home=tmp_path / "home", chat_model="offline")
    folder = tmp_path / "My Documents"
    folder.mkdir()
    (folder / "leave.md").write_text(LEAVE, encoding="utf-8")
    (folder / "vpn.md").write_text(VPN, encoding="utf-8")
    sessions = SessionStore.in_memory()
    with KnowledgeBase.open(settings, embedder=CharacterEmbedder()) as base:
        to = Conversation(Assistant(settings, base, ScriptedChatModel(replies=[SEARCH, ANSWER]), sessions), "s")
        assert say("/ingest", to) == "! write /ingest PATH\n"
        assert say("转正员工年假？", to).startswith("知识库里还没有文档。")
        one = "1 documents, 2 chunks (0 unchanged, 0 updated, 0 failed)\n"
        assert say(f"/ingest {folder / 'leave.md'}", to) == one
        assert say("转正员工年假？", to).startswith("转正员工年假 12 天。[S1]\n")
        both = f"/ingest '{folder / 'leave.md'}' \"{folder / 'vpn.md'}\""
        assert say(both, to) == "2 documents, 3 chunks (1 unchanged, 0 updated, 0 failed)\n"
        failed = say(f"/ingest {tmp_path / 'nosuch.md'}", to)
        assert failed.startswith("failed   ")
        assert failed.endswith("0 documents, 0 chunks (0 unchanged, 0 updated, 1 failed)\n")
    sessions.close()


def test_a_message_to_the_knowledge_base_searches(scripted: Scripted, say: Say) -> None:
    # A model that would refuse without a search.
    to = Conversation(scripted("Final Answer: NOT_FOUND"), "s")
    assert "搜索过：“火星食堂的菜单”" in say("知识库：火星食堂的菜单", to)
    assert [turn.question for turn in to.assistant.sessions.turns("s")] == ["火星食堂的菜单"]


def test_an_error_is_one_line_and_a_defect_keeps_its_stack_trace(scripted: Scripted, say: Say) -> None:
    to = Conversation(scripted(FolioError("the model is away"), ZeroDivisionError(), SEARCH, ANSWER), "s")
    assert say("年假？", to) == "! the model is away\n"
    with pytest.raises(ZeroDivisionError):
        take(to, "年假？")
    assert say("转正员工年假？", to).startswith("转正员工年假 12 天。[S1]\n")
    assert [turn.question for turn in to.assistant.sessions.turns("s")] == ["转正员工年假？"]
