"""What narrows a question and what is said of a file, from the page to the server and back."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.agent.web.conftest import Watched, ready
from tests.agent.web.test_flow import delete


@dataclass(frozen=True)
class Words:
    """What the page calls things in a language."""

    locale: str
    about: str
    folder: str
    department: str
    version: str
    options: str
    metadata: str
    as_of: str
    passages: str
    unclear: str
    narrowed: str
    thought: str
    greeting: str
    refused: str
    delete: str


CHINESE = Words(
    locale="zh-CN",
    about="接下来的文件的选项",
    folder="文件夹",
    department="部门",
    version="版本",
    options="选项",
    metadata="元数据",
    as_of="以哪天为准",
    passages="每次搜索的段落数",
    unclear="“department”不是键=值",
    narrowed="department=it · 以 2026年1月31日 为准 · 每次搜索 1 个段落",
    thought="问题本身完整，可以直接查。",
    greeting="你好",
    refused="文档里没有",
    delete="删除",
)
ENGLISH = Words(
    locale="en-GB",
    about="Options for the next files",
    folder="Folder",
    department="Department",
    version="Version",
    options="Options",
    metadata="Metadata",
    as_of="As of",
    passages="Passages per search",
    unclear="“department” is not key=value",
    narrowed="department=it · as of Jan 31, 2026 · 1 passage per search",
    thought="The question stands alone.",
    greeting="Hello",
    refused="Not in the documents",
    delete="Delete",
)


@pytest.mark.parametrize("words", [CHINESE, ENGLISH], ids=["zh", "en"])
def test_options_reach_the_server_and_are_said(watched: Watched, offline: str, tmp_path: Path, words: Words) -> None:
    page = ready(watched.open(offline, locale=words.locale))
    page.locator("#nav-documents").click()
    # The heading has the keyboard once the list is there.
    expect(page.locator("#documents-title")).to_be_focused()
    # With the keyboard alone, as everything.
    page.locator("#about > summary").focus()
    page.keyboard.press("Enter")
    about = page.locator("#about")
    for department, days in (("hr", "30 天"), ("it", "90 天")):
        for label, value in ((words.folder, department), (words.department, department), (words.version, "V7")):
            about.get_by_label(label, exact=True).fill(value)
        (tmp_path / "policy.md").write_text(f"# 口令\n\n口令每 {days}更换一次。\n", encoding="utf-8")
        page.locator("#files").set_input_files(tmp_path / "policy.md")
        # Two files of one name are told apart by their folders.
        row = page.locator("#document-rows tr").filter(has_text="V7").filter(has_text="口令")
        expect(row).to_have_count(1 if department == "hr" else 2)
    expect(page.locator("#document-rows")).to_contain_text("it/policy.md")

    page.locator("#nav-new").click()
    options = page.locator("#options")
    expect(options.get_by_label(words.metadata, exact=True)).to_be_hidden()
    options.get_by_text(words.options, exact=True).click()
    options.get_by_label(words.metadata, exact=True).fill("department")
    page.locator("#question").fill("口令多久更换一次？")
    page.locator("#question").press("Enter")
    expect(options.get_by_role("alert")).to_contain_text(words.unclear)
    expect(options.get_by_label(words.metadata, exact=True)).to_be_focused()
    for label, value in ((words.metadata, "department＝it"), (words.as_of, "2026-01-31"), (words.passages, "1")):
        options.get_by_label(label, exact=True).fill(value)
    page.keyboard.press("Enter")
    turn = page.locator(".turn").first
    expect(turn.locator(".answer")).to_contain_text("口令每 90 天更换一次。")
    expect(turn.locator(".narrowed")).to_contain_text(words.narrowed)
    turn.locator(".trace > summary").click()
    expect(turn.locator(".hit")).to_have_count(1)
    expect(turn.locator(".thought").first).to_contain_text(words.thought)

    # They hold until they are taken back; a greeting is nothing that the documents lack.
    page.locator("#options-clear").click()
    page.locator("#options > summary").click()
    ask_in = page.locator("#question")
    ask_in.fill(words.greeting)
    ask_in.press("Enter")
    greeted = page.locator(".turn").nth(1)
    expect(greeted.locator(".unsearched")).to_be_visible()
    expect(greeted).not_to_contain_text(words.refused)
    expect(greeted.locator(".narrowed")).to_have_count(0)
    page.goto(f"{offline}/#/documents")
    for name in ("it/policy.md", "policy.md"):
        delete(page, name, words.delete)
