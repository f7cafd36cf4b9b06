"""Earlier answers that no longer hold: said once, in one line, beside the next answer of the session."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.assistant import Assistant
from agent.sessions.store import SessionStore
from agent.sessions.turn import OUT_OF_DATE
from agent.settings import Settings
from agent.view.text import answer_text
from preprocessing.errors import FolioError
from retrieval.knowledge_base import KnowledgeBase
from tests.agent.conftest import LEAVE, VPN, prompts_of
from tests.fakes import CharacterEmbedder, ScriptedChatModel

SEARCH = "Thought: 要查。\nAction: knowledge_search\nAction Input: {}"
YEAR, SICK = "转正员工年假 12 天。[S1]", "病假工资按 80% 计发。[S1]"
QUESTION = "转正员工年假有几天？"

Open = Callable[..., Assistant]


def script(*answers: tuple[str, str]) -> list[str]:
    """Return the replies for these searches and answers."""
    return [reply for query, answer in answers for reply in (SEARCH.format(query), f"Final Answer: {answer}")]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Return a function that opens an assistant on two documents of its own, with a scripted model."""
    settings = Settings(home=tmp_path / "home", chat_model="scripted", openai_base_url="http://127.0.0.1:9/v1")
    with KnowledgeBase.open(settings, embedder=CharacterEmbedder()) as base:
        put(base, "leave.md", LEAVE)
        put(base, "vpn.md", VPN)
        sessions = SessionStore.in_memory()
        yield lambda *replies: Assistant(settings, base, ScriptedChatModel(replies=replies), sessions)
        sessions.close()


def put(base: KnowledgeBase, name: str, text: str, **metadata: str) -> None:
    assert not base.ingest_data(text.encode(), name, metadata).failed


def delete(base: KnowledgeBase) -> None:
    base.delete("leave.md")


def change(base: KnowledgeBase) -> None:
    put(base, "leave.md", LEAVE.replace("12 天", "15 天"))


def change_elsewhere(base: KnowledgeBase) -> None:
    put(base, "leave.md", LEAVE.replace("80%", "60%"))


def supersede(base: KnowledgeBase) -> None:
    put(base, "leave_2026.md", LEAVE.replace("12 天", "15 天"), supersedes="leave.md")


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize(
    ("happens", "chinese", "english"),
    [
        (change, "已不再成立：leave.md 已更改。", "no longer holds: leave.md has changed since."),
        (change_elsewhere, "可能已不再成立：leave.md 已更改。", "may no longer hold: leave.md has changed since."),
        (delete, "已不再成立：leave.md 已删除。", "no longer holds: leave.md was deleted."),
        (supersede, "已不再成立：leave.md 已被新版取代。", "no longer holds: leave.md has a newer version."),
    ],
)
def test_the_next_turn_says_once_which_answer_no_longer_holds(
    opened: Open, happens: Callable[[KnowledgeBase], None], chinese: str, english: str, language: str
) -> None:
    vpn = ("VPN inactivity", "VPN sessions are closed after 45 minutes. [S1]")
    assistant = opened(*script(("转正员工年假", YEAR), vpn, vpn, vpn))
    assert assistant.ask(QUESTION, "s").notices == ()
    happens(assistant.knowledge_base)
    asked, line = {
        "zh": ("VPN 多久断开？", f"提示：先前“{QUESTION}”的回答{chinese}"),
        "en": ("When is VPN closed?", f"Note: the earlier answer to “{QUESTION}” {english}"),
    }[language]
    assert assistant.ask(asked, "another").notices == ()
    told = assistant.ask(asked, "s")
    assert told.notices == (line,)
    assert told.as_json()["notices"] == [line]
    assert answer_text(asked, told).startswith(f"{line}\n\n{told.answer}\n")
    # It is neither a part of the answer nor a claim, and no answer of the memory.
    assert told.answer == vpn[1]
    assert [check.claim for check in told.checks] == [vpn[1]]
    assert [turn.answer for turn in assistant.sessions.turns("s")] == [YEAR, vpn[1]]
    again = assistant.ask(asked, "s")
    assert again.notices == ()
    assert "notices" not in again.as_json()


def test_a_worse_change_is_said_again(opened: Open) -> None:
    assistant = opened(*script(("转正员工年假", YEAR), ("病假", "病假工资按 60% 计发。[S1]"), ("病假", "病假。[S1]")))
    assistant.ask(QUESTION, "s")
    change_elsewhere(assistant.knowledge_base)
    (first,) = assistant.ask("病假工资呢？", "s").notices
    assert "可能已不再成立" in first
    delete(assistant.knowledge_base)
    notices = assistant.ask("病假工资呢？", "s").notices
    assert [one.partition("”")[0] for one in notices] == [f"提示：先前“{QUESTION}", "提示：先前“病假工资呢？"]
    assert all("的回答已不再成立：leave.md 已删除。" in one for one in notices)


def test_the_model_does_not_see_an_answer_that_no_longer_holds(opened: Open) -> None:
    assistant = opened(*script(("转正员工年假", YEAR), ("年假", "转正员工年假 15 天。[S1]")))
    assistant.ask(QUESTION, "s")
    change(assistant.knowledge_base)
    assistant.ask("那试用期呢？", "s")
    prompt = prompts_of(assistant)[2]
    assert f"User: {QUESTION}\nAssistant: {OUT_OF_DATE}\n" in prompt
    assert "12 天" not in prompt
    # A person still reads what was said.
    assert assistant.sessions.turns("s")[0].answer == YEAR


def test_a_question_that_fails_leaves_it_to_be_said(opened: Open) -> None:
    replies: list[Any] = [*script(("转正员工年假", YEAR)), FolioError("down"), *script(("病假", SICK))]
    assistant = opened(*replies)
    assistant.ask(QUESTION, "s")
    change(assistant.knowledge_base)
    with pytest.raises(FolioError):
        assistant.ask("病假工资呢？", "s")
    assert len(assistant.ask("病假工资呢？", "s").notices) == 1


def test_an_answer_from_an_older_version_that_was_asked_for_still_holds(opened: Open) -> None:
    assistant = opened(*script(("转正员工年假", YEAR), ("病假", SICK)))
    supersede(assistant.knowledge_base)
    assistant.ask(QUESTION, "s", filters={"source": ("leave.md",)})
    assert assistant.ask("病假工资呢？", "s").notices == ()


def test_others_are_not_told_of_what_was_not_answered_to_them(opened: Open) -> None:
    assistant = opened(*script(("转正员工年假", YEAR), ("病假", SICK), ("病假", SICK)))
    assistant.ask(QUESTION, "s", viewer=["board"])
    change(assistant.knowledge_base)
    assert assistant.ask("病假工资呢？", "s").notices == ()
    assert len(assistant.ask("病假工资呢？", "s", viewer=["board"]).notices) == 1


def test_documents_that_cannot_be_read_now_cost_no_answer(
    opened: Open, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    assistant = opened(*script(("转正员工年假", YEAR), *[("病假", SICK)] * 2))
    assistant.ask(QUESTION, "s")
    change(assistant.knowledge_base)
    with monkeypatch.context() as broken:

        def fails(*_asked: object) -> None:
            raise FolioError("the store is away")

        broken.setattr(assistant.knowledge_base, "fate_of", fails)
        assert assistant.ask("病假工资呢？", "s").notices == ()
    assert "whether earlier answers still hold cannot be told: the store is away" in caplog.text
    assert len(assistant.ask("病假工资呢？", "s").notices) == 1
