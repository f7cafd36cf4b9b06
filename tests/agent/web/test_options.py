"""What narrows a question and what is said of a file, from the page to the server and back."""

from pathlib import Path

from playwright.sync_api import expect

from tests.agent.web.conftest import Watched, ready
from tests.agent.web.test_flow import delete


def test_options_reach_the_server_and_are_said(watched: Watched, offline: str, tmp_path: Path) -> None:
    page = ready(watched.open(offline, locale="zh-CN"))
    page.locator("#nav-documents").click()
    # The heading has the keyboard once the list is there.
    expect(page.locator("#documents-title")).to_be_focused()
    # With the keyboard alone, as everything.
    page.locator("#about > summary").focus()
    page.keyboard.press("Enter")
    about = page.locator("#about")
    for department, days in (("hr", "30 天"), ("it", "90 天")):
        for label, value in (("文件夹", department), ("部门", department), ("版本", "V7")):
            about.get_by_label(label, exact=True).fill(value)
        (tmp_path / "policy.md").write_text(f"# 口令\n\n口令每 {days}更换一次。\n", encoding="utf-8")
        page.locator("#files").set_input_files(tmp_path / "policy.md")
        # Two files of one name are told apart by their folders.
        row = page.locator("#document-rows tr").filter(has_text="V7").filter(has_text="口令")
        expect(row).to_have_count(1 if department == "hr" else 2)
    expect(page.locator("#document-rows")).to_contain_text("it/policy.md")

    page.locator("#nav-new").click()
    options = page.locator("#options")
    expect(options.get_by_label("元数据", exact=True)).to_be_hidden()
    options.get_by_text("选项", exact=True).click()
    options.get_by_label("元数据", exact=True).fill("department")
    page.locator("#question").fill("口令多久更换一次？")
    page.locator("#question").press("Enter")
    expect(options.get_by_role("alert")).to_contain_text("“department”不是键=值")
    expect(options.get_by_label("元数据", exact=True)).to_be_focused()
    for label, value in (("元数据", "department＝it"), ("以哪天为准", "2026-01-31"), ("每次搜索的段落数", "1")):
        options.get_by_label(label, exact=True).fill(value)
    page.keyboard.press("Enter")
    turn = page.locator(".turn").first
    expect(turn.locator(".answer")).to_contain_text("口令每 90 天更换一次。")
    expect(turn.locator(".narrowed")).to_contain_text("department=it · 以 2026年1月31日 为准 · 每次搜索 1 个段落")
    turn.locator(".trace > summary").click()
    expect(turn.locator(".hit")).to_have_count(1)
    expect(turn.locator(".thought").first).to_contain_text("问题本身完整，可以直接查。")

    # They hold until they are taken back; a greeting is nothing that the documents lack.
    page.locator("#options-clear").click()
    page.locator("#options > summary").click()
    ask_in = page.locator("#question")
    ask_in.fill("你好")
    ask_in.press("Enter")
    greeted = page.locator(".turn").nth(1)
    expect(greeted.locator(".unsearched")).to_be_visible()
    expect(greeted).not_to_contain_text("文档里没有")
    expect(greeted.locator(".narrowed")).to_have_count(0)
    page.goto(f"{offline}/#/documents")
    for name in ("it/policy.md", "policy.md"):
        delete(page, name, "删除")
