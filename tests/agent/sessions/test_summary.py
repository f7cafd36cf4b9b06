"""What falls out of a conversation is kept in short: by rules, or by a model that is asked once."""

from collections.abc import Sequence

import pytest

from agent.memory import shorten_by_model
from agent.models.errors import ModelError
from agent.sessions.turn import HEADING, Summary, Turn, as_history, as_shown, fold, shorten_by_rules
from prompts import approximate_tokens
from tests.agent.conftest import ANSWER, SEARCH, Scripted, model_of, prompts_of
from tests.fakes import ScriptedChatModel


def turns_of(count: int, words: int = 10) -> list[Turn]:
    """Return turns of `words` + 5 tokens each: beside so many wide characters but one there are 21 others."""
    return [Turn(f"问{number:03}", "答" * (words - 2), number=number) for number in range(1, count + 1)]


def first_letters(earlier: str, turns: Sequence[Turn]) -> list[str]:
    return [*filter(None, [earlier]), *(f"- {turn.question}" for turn in turns)]


@pytest.mark.parametrize(("count", "folded"), [(6, 0), (7, 5), (8, 6)])
def test_nothing_is_folded_until_something_falls_out_and_then_so_much_that_the_next_turns_fit(
    count: int, folded: int
) -> None:
    turns = turns_of(count)
    assert {approximate_tokens(as_shown(turn)) for turn in turns} == {15}
    # 6 × 15 ≤ 100 < 7 × 15, and of 80 beside the summary half is kept: 2 × 15 ≤ 40 < 3 × 15.
    summary, left = fold(Summary(), turns, 100, first_letters)
    assert (summary.through, len(left)) == (folded, count - folded)
    if folded:
        again, still = fold(summary, left, 100, first_letters)
        assert (again, still) == (summary, left)


def test_the_summary_stays_in_its_room_and_its_latest_lines_stay() -> None:
    summary, left = fold(Summary("- old", 0), turns_of(40), 400, first_letters)
    lines = summary.text.split("\n")
    assert lines[-1] == f"- 问{40 - len(left):03}"
    assert "- old" not in lines
    assert summary.text
    assert approximate_tokens(f"{HEADING}\n{summary.text}") <= 80
    shown = as_history(left, 400, summary)
    assert shown.startswith(f"{HEADING}\n- 问")
    assert shown.count("User: ") == len(left)
    assert approximate_tokens(shown) <= 400


def test_rules_keep_what_was_asked_and_how_the_answer_begins() -> None:
    turns = [
        Turn("一线城市的住宿标准是多少？", "以下是文档原文：\n一线城市每晚 500 元。 [S1]\n凭票报销。 [S2]"),
        Turn("那省会城市呢？", "省会城市每晚 380 元。[S1]"),
        Turn("What is the VPN timeout?", "The documents do not hold it.", refused=True),
        Turn("餐补标准是多少？", "| 城市 | 餐补 |\n| --- | --- |\n| 北京 | 100 元 |\n[S3]"),
        Turn("长" * 200, "长" * 300),
    ]
    assert shorten_by_rules("- 更早的", turns) == [
        "- 更早的",
        "- 一线城市的住宿标准是多少？ → 一线城市每晚 500 元。",
        "- 那省会城市呢？ → 省会城市每晚 380 元。",
        "- What is the VPN timeout? → not in the documents",
        "- 餐补标准是多少？ → | 城市 | 餐补 | | 北京 | 100 元 |",
        f"- {'长' * 79}… → {'长' * 119}…",
    ]


TURNS = [Turn("转正员工年假有几天？", "转正员工年假 12 天。[S1]"), Turn("病假工资呢？", "病假工资按 80% 计发。[S2]")]


@pytest.mark.parametrize(
    ("reply", "lines"),
    [
        ("- 年假：转正员工 12 天\n- 病假工资 80%", ["- 年假：转正员工 12 天", "- 病假工资 80%"]),
        (
            "<think>短一点</think>Summary:\n1. 转正员工年假 12 天 [S1]\n* 转正员工年假 12 天",
            ["- 转正员工年假 12 天"],
        ),
        # A number that nobody said.
        ("- 转正员工年假 15 天\n- 病假工资 80%", ["- 病假工资 80%"]),
    ],
)
def test_a_model_is_asked_once(reply: str, lines: list[str]) -> None:
    model = ScriptedChatModel(replies=[reply])
    assert shorten_by_model("- 更早的", TURNS, model, 4000) == lines
    (prompt,) = ["\n".join(str(message.text) for message in messages) for messages in model.prompts]
    assert "Earlier summary:\n- 更早的\n" in prompt
    assert "User: 转正员工年假有几天？\nAssistant: 转正员工年假 12 天。\nUser: 病假工资呢？" in prompt


@pytest.mark.parametrize("reply", [ModelError("down"), "", "Summary:", SEARCH, ANSWER, "- 转正员工年假 15 天"])
def test_what_is_no_summary_is_made_by_rules(reply: str | Exception) -> None:
    made = shorten_by_model("- 更早的", TURNS, ScriptedChatModel(replies=[reply]), 4000)
    assert made == shorten_by_rules("- 更早的", TURNS)


def test_what_falls_out_of_a_session_is_shown_in_short_and_asked_for_once(scripted: Scripted) -> None:
    summary = "- 转正员工年假 12 天"
    assistant = scripted(*(SEARCH, ANSWER) * 7, summary, SEARCH, ANSWER, history_tokens=150)
    for _ in range(8):
        assert assistant.ask("转正员工年假有几天？", "s").answer == "转正员工年假 12 天。[S1]"
    prompts = prompts_of(assistant)
    # 6 × 24 ≤ 150 < 7 × 24, and of 120 half is kept: two turns, so that five fall out at once.
    assert approximate_tokens(as_shown(assistant.sessions.turns("s")[0])) == 24
    assert [place for place, prompt in enumerate(prompts) if prompt.startswith("Shorten the beginning")] == [14]
    assert prompts[14].count("User: 转正员工年假有几天？") == 5
    turn = "User: 转正员工年假有几天？\nAssistant: 转正员工年假 12 天。"
    assert "Conversation so far:\n" + f"{turn}\n" * 6 + "\nMark" in prompts[12]
    assert f"Conversation so far:\n{HEADING}\n{summary}\n{turn}\n{turn}\n\nMark" in prompts[15]


def test_a_summary_is_no_evidence_and_holds_no_scratch_work(scripted: Scripted) -> None:
    from_memory = "Thought: 记得。\nFinal Answer: 转正员工年假 99 天。[S1]"
    assistant = scripted(from_memory, SEARCH, from_memory, ANSWER, history_tokens=200)
    assistant.sessions.append("s", Turn("转正员工年假有几天？", "转正员工年假 99 天。"))
    for number in range(12):
        assistant.sessions.append("s", Turn(f"第{number}个问题是什么？", "不知道。"))
    answer = assistant.ask("转正员工年假有几天？", "s")
    first, *_ = prompts_of(assistant)
    assert f"Conversation so far:\n{HEADING}\n" in first
    assert "99" not in answer.answer
    assert len(model_of(assistant).prompts) >= 4
    kept = assistant.sessions.summary("s", ())
    assert "第" in kept.text
    assert not any(word in kept.text for word in ("Thought", "Action", "Observation", "记得"))


def test_groups_that_were_not_asked_for_do_not_see_the_summary(scripted: Scripted) -> None:
    assistant = scripted(SEARCH, ANSWER, "- 董事会", SEARCH, ANSWER, history_tokens=200)
    for number in range(4):
        assistant.sessions.append("s", Turn(f"董事会 {number}？", "秘密。" * 20, viewer=("board",)))
    assistant.ask("转正员工年假有几天？", "s", viewer=["board"])
    assert "董事会" in assistant.sessions.summary("s", ("board",)).text
    assistant.ask("转正员工年假有几天？", "s")
    assert not any("董事会" in prompt or "秘密" in prompt for prompt in prompts_of(assistant)[3:])
