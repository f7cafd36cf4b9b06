from collections.abc import Callable

import pytest

from preprocessing.document import Block, Document
from preprocessing.load.metadata import Stated, iso_date, stated

Load = Callable[..., Document]


def found(text: str) -> Stated:
    return stated([Block("paragraph", text)])


FROM, TO = {"effective_from": "2024-05-01"}, {"effective_to": "2026-04-30"}


@pytest.mark.parametrize(
    ("text", "metadata"),
    [
        ("本办法自2024年5月1日起施行。", FROM),
        ("本制度自 2024-05-01 起正式实施，有效期至2026年4月30日。", FROM | TO),
        ("本规定自二〇二四年五月一日起生效。", FROM),
        ("This policy is effective from May 1, 2024 and valid until 30 April 2026.", FROM | TO),
        ("施行日期：2024.5.1", FROM),
        ("《差旅办法》（2019年）和《借款办法》同时废止。", {"supersedes": ("差旅办法", "借款办法")}),
        ("It supersedes the “Travel Policy 2019”.", {"supersedes": ("Travel Policy 2019",)}),
        ("甲法自2024年5月1日起施行，乙法自2023年1月1日起施行。", {}),
        ("自发布之日起施行。2024年5月1日开会。自2024年2月30日起施行。", {}),
    ],
)
def test_when_a_document_holds(text: str, metadata: dict[str, object]) -> None:
    assert found(text).metadata == metadata


@pytest.mark.parametrize(
    ("text", "version", "date"),
    [
        ("版本号：V2.1\n发布日期：2024年3月5日", "2.1", "2024-03-05"),
        ("Version: 3\nLast updated: March 5, 2024", "3", "2024-03-05"),
        ("版本：1.0 改为 版本：2.0", None, None),
        ("第 2 版的说明", None, None),
    ],
)
def test_version_and_date(text: str, version: str | None, date: str | None) -> None:
    assert (found(text).version, found(text).date) == (version, date)


def test_code_says_nothing_about_the_document() -> None:
    assert stated([Block("code", "```\nversion: 3\n```")]) == Stated()


@pytest.mark.parametrize(
    ("written", "iso"),
    [
        ("2024年5月1日", "2024-05-01"),
        ("二零二四年十月十日", "2024-10-10"),
        ("二〇二四年一月三十一日", "2024-01-31"),
        ("3 Sept 2024", "2024-09-03"),
        ("2024/13/1", None),
        ("Foo 3, 2024", None),
    ],
)
def test_iso_date(written: str, iso: str | None) -> None:
    assert iso_date(written) == iso


def test_caller_front_matter_and_name_win_over_the_text(load_bytes: Load) -> None:
    head = "---\neffective_from: 2024-06-01\n---\n"
    text = f"{head}# 办法（2024年修订）\n\n版本：2\n\n自2024年5月1日起施行，有效期至2026年4月30日。\n"
    document = load_bytes("a.md", text.encode(), metadata={"effective_to": "2025-12-31"})
    assert document.metadata == {"effective_from": "2024-06-01", "effective_to": "2025-12-31", "encoding": "utf-8"}
    assert document.version == "2024年修订"
    assert load_bytes("b_V9.md", text.encode()).version == "9"
    assert load_bytes("c.md", text.replace("（2024年修订）", "").encode()).version == "2"
