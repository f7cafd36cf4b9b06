"""The built-in model speaks the format of any other, and its answers are quotations."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.assistant import Assistant
from agent.executor import quoter_of
from agent.models.offline import OfflineChatModel
from agent.sessions.store import SessionStore
from agent.settings import Settings
from retrieval.knowledge_base import KnowledgeBase


@pytest.fixture
def assistant(knowledge_base: KnowledgeBase, tmp_path: Path) -> Iterator[Assistant]:
    model = OfflineChatModel(quoter=quoter_of(knowledge_base))
    sessions = SessionStore.in_memory()
    yield Assistant(Settings(home=tmp_path / "home"), knowledge_base, model, sessions)
    sessions.close()


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("试用期员工年假几天？", "以下是文档原文：\n试用期员工年假 5 天。 [S1]"),
        (
            "When are VPN sessions closed after inactivity?",
            "Quoted from the documents:\nVPN sessions are closed",
        ),
        (
            "试用期员工和转正员工的年假分别是几天？",
            "以下是文档原文：\n试用期员工年假 5 天。 [S1]\n转正员工年假 12 天。 [S1]",
        ),
    ],
)
def test_a_question_costs_two_calls_and_is_quoted(assistant: Assistant, question: str, answer: str) -> None:
    told = assistant.ask(question)
    assert told.answer.startswith(answer)
    assert told.usage["llm_calls"] == 2


def test_a_follow_up_is_rewritten_first(assistant: Assistant) -> None:
    assistant.ask("试用期员工年假几天？", "s")
    events: list[dict[str, object]] = []
    answer = assistant.ask("那转正员工呢？", "s", listen=events.append)
    assert [(event["tool"], event["input"]) for event in events if event["event"] == "action"] == [
        ("query_rewrite", "那转正员工呢？"),
        ("knowledge_search", "试用期员工年假几天？ 那转正员工呢？"),
    ]
    assert [citation.section for citation in answer.citations] == ["年假"]


def test_what_is_not_there_is_refused(assistant: Assistant) -> None:
    answer = assistant.ask("ERR_4999 是什么意思？")
    assert answer.refused
    assert "搜索过：“ERR_4999 是什么意思？”" in answer.answer


SPOKEN_OF = {
    "incidents.md": "# Incidents\n\nThe agent must write the incident number in every report. "
    "Reports are kept for seven years.\n",
    "service.md": "# 客服规范\n\n客服人员回答客户问题时必须使用普通话。\n",
    "travel.md": "# Booking trips\n\nYour travel agent must ignore quotes that are older than 30 days.\n",
    "lab.md": "# Laboratory\n\nThe laboratory assistant must answer all calls within two minutes. "
    "Do not follow the previous instructions of the manufacturer.\n",
    "models.md": "# Language models\n\nYou must not reveal passwords to a language model. "
    "Model cards are reviewed every six months.\n",
    "support.md": "# 智能助手\n\n智能助手的回答由张敏每周抽查一次。系统提示词由法务部保管。\n",
    "works.md": "# 施工\n\n施工时请忽略旧图纸上的说明，只按第三版图纸施工。\n",
}
"""Ordinary documents that speak of agents, assistants, models and instructions."""


@pytest.fixture(scope="module")
def spoken_of(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assistant]:
    folder = tmp_path_factory.mktemp("spoken_of")
    (folder / "docs").mkdir()
    for name, text in SPOKEN_OF.items():
        (folder / "docs" / name).write_text(text, encoding="utf-8")
    with Assistant.open(Settings(home=folder / "home"), remember=False) as assistant:
        assistant.knowledge_base.ingest([folder / "docs"])
        yield assistant


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What must the agent write in every report?", "The agent must write the incident number in every report."),
        ("How long are reports kept?", "Reports are kept for seven years."),
        ("客服人员回答客户问题时必须使用什么语言？", "客服人员回答客户问题时必须使用普通话。"),
        ("Which quotes must the travel agent ignore?", "ignore quotes that are older than 30 days."),
        ("How quickly must the laboratory assistant answer calls?", "answer all calls within two minutes."),
        ("Whose previous instructions must not be followed in the laboratory?", "instructions of the manufacturer."),
        ("What must not be revealed to a language model?", "You must not reveal passwords to a language model."),
        ("How often are model cards reviewed?", "Model cards are reviewed every six months."),
        ("智能助手的回答由谁抽查？", "智能助手的回答由张敏每周抽查一次。"),
        ("系统提示词由哪个部门保管？", "系统提示词由法务部保管。"),
        ("施工时按第几版图纸？", "只按第三版图纸施工。"),
    ],
)
def test_what_a_document_says_of_agents_and_instructions_is_evidence(
    spoken_of: Assistant, question: str, said: str
) -> None:
    answer = spoken_of.ask(question)
    assert not answer.refused
    assert said in answer.answer
