"""What an answer looks like, whatever the model says: checks, stops, failures, and who may ask."""

import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor
from typing import Any

import pytest
from langchain_core.messages import BaseMessage
from playwright.sync_api import Page, expect

from agent.http.chat import Telling
from agent.models.errors import ModelError
from tests.agent.http.conftest import ANSWER, QUESTION, SEARCH, Served, restricted
from tests.agent.web.conftest import Watched, ask, ready

At = Callable[..., tuple[str, Served]]

MIXED = (
    "Thought: 有了。\nFinal Answer: **转正员工年假 12 天。**[S1]\n\n- 病假工资按 80% 计发。\n"
    "- 入职当月发放 3 套工服。[S1]\n- 员工食堂供应三餐和夜宵。[S1]"
)


def test_each_sentence_says_what_its_check_found(watched: Watched, at: At) -> None:
    url, _ = at(SEARCH, MIXED)
    page = ready(watched.open(url, locale="zh-CN"))
    ask(page, QUESTION)
    marks = page.locator(".answer .mark")
    assert [(mark.get_attribute("aria-label") or "").partition(":")[0] for mark in marks.all()] == [
        "来源 1 支持",
        "已修正",
        "文档未证实",
    ]
    expect(page.locator(".claim.unsupported")).to_have_text("员工食堂供应三餐和夜宵。 （文档未证实）")
    expect(page.locator(".claim.repaired")).to_contain_text("病假工资按 80% 计发。")
    assert [cite.get_attribute("aria-label") for cite in page.locator(".cite").all()] == [
        "来源 1：leave.md › 年假",
        "来源 2：leave.md › 病假",
    ]
    summary = page.locator(".check-list summary")
    expect(summary).to_have_text("核对了 4 句 · 修正了 1 句 · 删除了 1 句 · 1 句未证实")
    marks.last.click()
    listed = page.locator(".checks > li")
    expect(listed.last).to_be_visible()
    removed = page.locator(".checks .removed")
    expect(removed.locator("del")).to_contain_text("入职当月发放 3 套工服。")
    expect(removed.locator(".reason")).to_contain_text("3")
    expect(page.locator(".answer")).not_to_contain_text("工服")
    # The page is loaded again, and what was found is still said.
    ready(page.reload() and page)
    expect(page.locator(".answer .mark")).to_have_count(3)


def test_the_draft_is_shown_until_the_answer_is_there_and_can_be_stopped(
    watched: Watched, at: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, goes_on, left = threading.Event(), threading.Event(), threading.Event()

    class Followed(Telling):
        async def until_done(self, executor: Executor) -> AsyncIterator[tuple[str, Any]]:
            try:
                async for told in super().until_done(executor):
                    yield told
            finally:
                left.set()

    monkeypatch.setattr("agent.http.chat.Telling", Followed)

    def answer(messages: list[BaseMessage]) -> str:
        if "Observation:" not in str(messages[-1].text):
            return SEARCH
        begun.set()
        assert goes_on.wait(30)
        return ANSWER

    url, served = at(answer)
    page = ready(watched.open(url))
    try:
        page.get_by_role("textbox").fill(QUESTION)
        page.keyboard.press("Enter")
        turn = page.locator(".turn")
        expect(turn).to_have_attribute("aria-busy", "true")
        expect(turn.locator(".trace > summary")).to_contain_text("Search")
        assert begun.wait(30)
        page.get_by_role("button", name="Stop the answer").click()
        expect(turn).to_contain_text("Stopped. This question is not remembered.")
        # The page knows it before the server does.
        assert left.wait(30)
    finally:
        goes_on.set()
    expect(page.get_by_role("textbox")).to_be_focused()
    turn.get_by_role("button", name="Ask again").click()
    expect(turn.locator(".answer")).to_contain_text("转正员工年假 12 天。")
    assert len(served.assistant.sessions.sessions()) == 1


def test_a_failure_says_what_is_wrong_and_asks_again(watched: Watched, at: At) -> None:
    url, _ = at(ModelError("the model at 127.0.0.1:9 cannot be reached"), SEARCH, ANSWER)
    page = ready(watched.open(url))
    ask(page, QUESTION)
    expect(page.locator(".turn .problem")).to_contain_text("The model or the store cannot be reached")
    expect(page.locator(".turn .problem")).to_contain_text("127.0.0.1:9 cannot be reached")
    page.get_by_role("button", name="Ask again").click()
    expect(page.locator(".turn .answer")).to_contain_text("转正员工年假 12 天。")
    expect(page.locator(".turn")).to_have_count(1)


def test_a_key_is_asked_for_where_one_is_needed(watched: Watched, at: At) -> None:
    documents = {"leave.md": "# 年假\n\n转正员工年假 12 天。", "board.md": restricted("board")}
    url, served = at(SEARCH, ANSWER, documents=documents)
    served.key("desk", "read")
    page = watched.open(url)
    dialog = page.get_by_role("dialog", name="A key is needed")
    expect(dialog).to_be_visible()
    for written, said in (("folio_nonsense", "This key is unknown or was revoked."), (served.known["desk"], None)):
        dialog.get_by_label("Key").fill(written)
        page.keyboard.press("Enter")
        if said:
            expect(dialog).to_contain_text(said)
    ready(page)
    expect(dialog).to_be_hidden()
    expect(page.locator("#welcome-facts")).to_contain_text("1 document,")
    ask(page, QUESTION)
    expect(page.locator(".answer")).to_contain_text("转正员工年假 12 天。")
    ready(page.reload() and page)
    expect(dialog).to_be_hidden()
    page.get_by_role("button", name="Forget the key").click()
    expect(dialog).to_be_visible()
    assert page.evaluate("JSON.stringify([sessionStorage.length, Object.keys(localStorage)])") == "[0,[]]"


def press_until(page: Page, keys: str, selector: str) -> None:
    """Press a key until what is meant has the keyboard."""
    for _ in range(40):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press(keys)
    pytest.fail(f"{keys} does not lead to {selector}")


def test_everything_is_done_with_the_keyboard(watched: Watched, at: At) -> None:
    url, _ = at(SEARCH, ANSWER)
    page = ready(watched.open(url))
    box = page.get_by_role("textbox")
    expect(box).to_be_focused()
    # While a word is being composed, Enter takes it over.
    composing = "new KeyboardEvent('keydown', {key: 'Enter', isComposing: true, bubbles: true, cancelable: true})"
    page.keyboard.type("年假")
    box.evaluate(f"box => box.dispatchEvent({composing})")
    expect(page.locator(".turn")).to_have_count(0)
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("有几天？")
    assert box.input_value() == "年假\n有几天？"
    page.keyboard.press("Enter")
    page.locator(".turn[aria-busy=false]").wait_for()
    expect(page.locator("#announcer")).to_contain_text("转正员工年假 12 天。")
    press_until(page, "Shift+Tab", ".cite")
    page.keyboard.press("Enter")
    expect(page.locator("#reader-title")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".cite")).to_be_focused()
    press_until(page, "Shift+Tab", ".trace > summary")
    page.keyboard.press("Enter")
    expect(page.locator(".steps")).to_be_visible()
    press_until(page, "Tab", ".hit")
    page.keyboard.press("Enter")
    expect(page.locator("#reader .cited")).to_be_visible()
    page.keyboard.press("Escape")
    press_until(page, "Shift+Tab", ".skip")
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox")).to_be_focused()
