"""The whole way through the page, against a server with the offline model."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.agent.web.conftest import PHONE, Watched, ask, ready


@dataclass(frozen=True)
class Case:
    """Documents of a language, what is asked of them, and what the page calls things."""

    locale: str
    filename: str
    text: str
    question: str
    follow_up: str
    answer: str
    second_answer: str
    neighbour: str
    unknown: str
    words: dict[str, str]


CHINESE = Case(
    locale="zh-CN",
    filename="年假制度.md",
    text=(
        "---\nversion: V2\nupdated_at: 2024-03-05\n---\n# 休假制度\n\n## 年假\n\n转正员工每年有 12 天年假。"
        "年假应当提前三天申请。\n\n## 病假\n\n病假工资按 80% 计发。\n"
    ),
    question="转正员工每年有几天年假？",
    follow_up="病假工资按什么比例计发？",
    answer="转正员工每年有 12 天年假。",
    second_answer="病假工资按 80% 计发。",
    neighbour="年假应当提前三天申请。",
    unknown="火星基地的食堂在哪里？",
    words={
        "documents": "文档",
        "added": "已添加",
        "date": "2024年3月5日",
        "trace": "决策过程",
        "search": "搜索",
        "score": "得分",
        "refused": "文档里没有",
        "looked": "查过的内容",
        "close": "关闭",
        "delete": "删除",
        "deleted": "已删除",
        "none": "还没有文档。",
    },
)
ENGLISH = Case(
    locale="en-GB",
    filename="parking.md",
    text=(
        "---\nversion: V2\nupdated_at: 2024-03-05\n---\n# Site rules\n\n## Parking\n\nEmployees may park in garage B "
        "for 40 euros a month. Badges are issued by the reception.\n\n## Visitors\n\nVisitors may park for free for "
        "three hours.\n"
    ),
    question="How much does it cost employees to park in garage B?",
    follow_up="How many hours may visitors park for free?",
    answer="Employees may park in garage B for 40 euros a month.",
    second_answer="Visitors may park for free for three hours.",
    neighbour="Badges are issued by the reception.",
    unknown="Who wrote the symphony about Mars colonies?",
    words={
        "documents": "Documents",
        "added": "Added",
        "date": "Mar 5, 2024",
        "trace": "Decision trace",
        "search": "Search",
        "score": "Score",
        "refused": "Not in the documents",
        "looked": "What was looked at",
        "close": "Close",
        "delete": "Delete",
        "deleted": "was deleted",
        "none": "There are no documents yet.",
    },
)


def upload(page: Page, folder: Path, filename: str, text: str, documents: str = "Documents") -> None:
    """Choose a file in the list of documents."""
    path = folder / filename
    path.write_text(text, encoding="utf-8")
    page.get_by_role("link", name=documents, exact=True).click()
    page.locator("#files").set_input_files(path)


def delete(page: Page, filename: str, word: str = "Delete") -> None:
    """Delete a document of the list, and be sure."""
    row = page.locator("#document-rows tr").filter(has_text=filename)
    row.get_by_role("button", name=f"{word} {filename}").click()
    page.get_by_role("alertdialog").get_by_role("button", name=word, exact=True).click()
    expect(row).to_have_count(0)


@pytest.mark.parametrize("case", [CHINESE, ENGLISH], ids=["zh", "en"])
def test_from_an_upload_to_its_deletion(watched: Watched, offline: str, tmp_path: Path, case: Case) -> None:
    words = case.words
    page = ready(watched.open(offline, locale=case.locale))
    expect(page.locator("html")).to_have_attribute("lang", re.compile(case.locale[:2]))
    expect(page.locator("#welcome-facts")).to_contain_text(words["none"])

    upload(page, tmp_path, case.filename, case.text, words["documents"])
    expect(page.locator("#upload-list li")).to_contain_text(words["added"])
    row = page.locator("#document-rows tr")
    for said in (case.filename, "V2", words["date"]):
        expect(row).to_contain_text(said)

    page.locator("#nav-new").click()
    ask(page, case.question)
    first = page.locator(".turn").nth(0)
    expect(first.locator(".answer")).to_contain_text(case.answer)
    expect(first.locator(".mark.supported")).to_have_count(1)
    ask(page, case.follow_up)
    expect(page.locator(".turn").nth(1).locator(".answer")).to_contain_text(case.second_answer)
    expect(page.locator("#sessions a[aria-current=page]")).to_have_text(case.question)

    first.locator(".cite").click()
    reader = page.locator("#reader")
    expect(reader.locator("mark")).to_have_text(case.answer)
    expect(reader).to_contain_text(case.neighbour)
    expect(reader.locator("h3")).to_have_text(case.filename)
    reader.get_by_role("button", name=words["close"], exact=True).click()
    expect(reader).to_be_hidden()

    trace = first.locator(".trace")
    trace.get_by_text(words["trace"]).click()
    step = trace.locator(".step").last
    for said in (words["search"], "knowledge_search", case.question, words["score"]):
        expect(step).to_contain_text(said)
    step.locator(".hit").first.click()
    expect(reader.locator(".cited")).to_contain_text(case.answer)
    page.keyboard.press("Escape")

    ask(page, case.unknown)
    refusal = page.locator(".turn").last.locator(".refusal")
    for said in (words["refused"], words["looked"], case.unknown, case.filename):
        expect(refusal).to_contain_text(said)

    # What was said is there when the page is loaded again, with its checks.
    ready_again = page.reload() and ready(page)
    expect(ready_again.locator(".turn")).to_have_count(3)
    expect(ready_again.locator(".turn").last.locator(".refusal")).to_contain_text(words["looked"])

    page.get_by_role("link", name=words["documents"], exact=True).click()
    delete(page, case.filename, words["delete"])
    expect(page.locator("#notes")).to_contain_text(words["deleted"])
    expect(page.locator("#documents-none")).to_have_text(words["none"])

    page.locator("#sessions").get_by_role("button").click()
    page.get_by_role("alertdialog").get_by_role("button", name=words["delete"], exact=True).click()
    expect(page.locator("#sessions li")).to_have_count(0)


HOSTILE = """\
# <img src=x onerror="window.pwned=1"> Badges

The badge colour is <b>violet</b> <script>window.pwned = 1</script> for guests & <svg onload=window.pwned=1>.

[click](javascript:window.pwned=1) ![x](https://elsewhere.example/x.png) <iframe src="//elsewhere.example"></iframe>
"""


def test_a_document_full_of_markup_is_shown_as_text(watched: Watched, offline: str, tmp_path: Path) -> None:
    page = ready(watched.open(offline))
    name = "<img src=x onerror=window.pwned=1>.md"
    upload(page, tmp_path, name, HOSTILE)
    expect(page.locator("#document-rows")).to_contain_text(name)
    page.locator("#nav-new").click()
    ask(page, "What is the badge colour for <b>guests</b> <script>window.pwned=1</script>?")
    expect(page.locator(".question")).to_contain_text("<script>window.pwned=1</script>")
    page.locator(".trace > summary").click()
    page.locator(".trace .hit").first.click()
    reader = page.locator("#reader")
    for written in (
        "<b>violet</b> <script>window.pwned = 1</script>",
        "<svg onload=window.pwned=1>",
        "[click](javascript:",
    ):
        expect(reader).to_contain_text(written)
    for shown in ("#turns", "#reader", "#sessions"):
        made = "script, img, b, iframe, a[href^=javascript], [onerror], [onload]"
        expect(page.locator(shown).locator(made)).to_have_count(0)
    assert page.evaluate("window.pwned") is None
    page.get_by_role("link", name="Documents", exact=True).click()
    delete(page, name)


def test_a_file_of_the_same_name_is_replaced_when_that_is_wanted(
    watched: Watched, offline: str, tmp_path: Path
) -> None:
    watched.expected = ["409 (Conflict)"]
    page = ready(watched.open(offline))
    upload(page, tmp_path, "same.md", "# Same\n\nThe door is green.\n")
    uploads = page.locator("#upload-list li")
    expect(uploads.nth(0)).to_contain_text("Added, 1 passage")
    upload(page, tmp_path, "same.md", "# Same\n\nThe door is blue.\n")
    expect(uploads.nth(1)).to_contain_text("There is a document of this name already")
    uploads.nth(1).get_by_role("button", name="Replace the document same.md with this file").click()
    expect(uploads.nth(1)).to_contain_text("Updated")
    page.get_by_role("button", name="Read same.md").click()
    expect(page.locator("#reader")).to_contain_text("The door is blue.")
    page.keyboard.press("Escape")
    delete(page, "same.md")


def test_a_large_file_is_brought_in_afterwards_and_a_bad_one_says_why(
    watched: Watched, offline: str, tmp_path: Path
) -> None:
    watched.expected = ["415 (Unsupported Media Type)"]
    page = ready(watched.open(offline))
    large = "# Large\n\n" + "".join(f"## Part {n}\n\nThe locker {n} is on floor {n % 7}.\n\n" for n in range(300))
    bad, good = tmp_path / "tune.mp3", tmp_path / "large.md"
    bad.write_bytes(b"ID3")
    good.write_text(large, encoding="utf-8")
    page.get_by_role("link", name="Documents", exact=True).click()
    page.locator("#files").set_input_files([good, bad])
    uploads = page.locator("#upload-list li")
    expect(uploads.nth(0)).to_contain_text("Large: being read in the background")
    expect(uploads.nth(1)).to_contain_text("Files of this kind are not read")
    expect(uploads.nth(0)).to_contain_text("Added, 300 passages", timeout=40_000)
    page.get_by_role("button", name="Read large.md").click()
    reader = page.locator("#reader")
    expect(reader.locator(".passage")).to_have_count(100)
    reader.get_by_role("button", name="Show more").click()
    expect(reader.locator(".passage")).to_have_count(200)
    page.keyboard.press("Escape")
    delete(page, "large.md")


def test_on_a_phone_the_menu_and_the_side_panel_lie_over_the_page(
    watched: Watched, offline: str, tmp_path: Path
) -> None:
    page = ready(watched.open(offline, viewport=PHONE, has_touch=True, is_mobile=True))
    page.get_by_role("button", name="Open the menu").click()
    expect(page.get_by_role("button", name="Close the menu")).to_be_focused()
    upload(page, tmp_path, "phone.md", "# Phones\n\nThe service phone is kept in drawer 9 of the reception desk.\n")
    expect(page.locator("#document-rows")).to_contain_text("phone.md")
    page.goto(f"{offline}/#/")
    ask(page, "Where is the service phone kept?")
    page.locator(".sources button").click()
    expect(page.locator("#reader mark")).to_contain_text("drawer 9")
    assert page.evaluate("document.querySelector('main').inert")
    page.keyboard.press("Escape")
    expect(page.locator(".sources button")).to_be_focused()
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    page.goto(f"{offline}/#/documents")
    delete(page, "phone.md")
