"""The page against axe, which knows the rules that assistive technology relies on."""

from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.agent.http.conftest import QUESTION, SEARCH, Served
from tests.agent.web.conftest import DESKTOP, PHONE, Watched, ask, ready
from tests.agent.web.test_answers import MIXED

At = Callable[..., tuple[str, Served]]

LEAVE_WITH_TABLE = """\
# 休假制度

## 年假

转正员工年假 12 天。

| 级别 | 天数 |
| --- | --- |
| 经理 | 15 天 |

## 病假

病假工资按 80% 计发。
"""


def findings(page: Page) -> list[tuple[str, str, list[Any]]]:
    """Return what is an obstacle, small ones too: the rule, how serious it is, and where."""
    found = Axe().run(page).response
    assert found["passes"]
    return [(rule["id"], rule["impact"], [node["target"] for node in rule["nodes"]]) for rule in found["violations"]]


@pytest.mark.parametrize(
    ("colours", "size"),
    [("light", DESKTOP), ("dark", DESKTOP), ("light", PHONE)],
    ids=["light", "dark", "phone"],
)
def test_nothing_is_in_the_way(watched: Watched, at: At, colours: Any, size: Any) -> None:
    watched.expected = ["415 (Unsupported Media Type)"]
    # What fails its check is asked for once more.
    replies = (SEARCH, MIXED, MIXED, SEARCH, "Final Answer: NOT_FOUND")
    url, _ = at(*replies, documents={"leave.md": LEAVE_WITH_TABLE, "tea.md": "# Tea\n\nGreen."})
    page = ready(watched.open(url, color_scheme=colours, viewport=size, reduced_motion="reduce"))
    page.locator("#options > summary").click()
    assert findings(page) == []
    page.locator("#options > summary").click()

    ask(page, QUESTION)
    ask(page, "股票期权怎么行权？")
    for summary in page.locator(".trace > summary, .check-list > summary").all():
        summary.click()
    page.locator(".steps details summary").first.click()
    expect(page.locator(".refusal")).to_be_visible()
    assert findings(page) == []
    page.locator(".cite").first.click()
    expect(page.locator("#reader mark")).to_be_visible()
    assert findings(page) == []

    page.goto(f"{url}/#/documents")
    page.locator("#about > summary").click()
    page.locator("#files").set_input_files({"name": "tune.mp3", "mimeType": "audio/mpeg", "buffer": b"ID3"})
    expect(page.locator("#upload-list .failed")).to_be_visible()
    assert findings(page) == []
    page.get_by_role("button", name="Delete tea.md").click()
    expect(page.get_by_role("alertdialog")).to_be_visible()
    assert findings(page) == []
