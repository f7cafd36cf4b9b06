from collections.abc import Callable

import pytest

from preprocessing.document import Block, Document
from preprocessing.load.markdown import front_matter
from preprocessing.load.metadata import Stated, sensible_title, stated, version_from_name


def test_front_matter_values_are_text() -> None:
    head = "---\ntitle: 休假\nupdated_at: 2024-03-05\ntags: [人事, 2024]\ndraft: true\nempty:\n---\n正文\n"
    assert front_matter(head) == (
        {"title": "休假", "updated_at": "2024-03-05", "tags": ("人事", "2024"), "draft": "true"},
        "正文\n",
    )


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1.10", "1.10"),
        ("007", "007"),
        ("NO", "NO"),
        ("'~'", None),
        ("null", None),
        ("[HR, NO, 007, ~]", ("HR", "NO", "007")),
        ("!!python/object/apply:os.getcwd []", ()),
    ],
)
def test_a_value_is_what_is_written(written: str, value: str | tuple[str, ...] | None) -> None:
    assert front_matter(f"---\nkey: {written}\n---\n正文") == ({} if value is None else {"key": value}, "正文")


def test_references_are_not_followed() -> None:
    """Nine lines would be a thousand million words."""
    lines = ["a0: &a0 [" + ", ".join("x" * 10) + "]"]
    lines += [f"a{n}: &a{n} [" + ", ".join([f"*a{n - 1}"] * 10) + "]" for n in range(1, 9)]
    head = "\n".join(lines)
    assert front_matter(f"---\n{head}\n---\n正文") == ({}, f"{head}\n\n正文")


@pytest.mark.parametrize(
    "head",
    ["**法务部**\n地址：*甲区*", "只有一句话", "- 一\n- 二", "a: [1", "? [1]\n: 2", "a: &x [1]\nb: [*x, *x]"],
    ids=["bold", "scalar", "list", "broken", "a list as a key", "references"],
)
def test_a_head_that_is_no_mapping_stays_text(head: str) -> None:
    assert front_matter(f"---\n{head}\n---\n\n# 催告函\n") == ({}, f"{head}\n\n\n# 催告函\n")


@pytest.mark.parametrize(
    ("stem", "version"),
    [
        ("报销制度_V2", "2"),
        ("manual-v2.1", "2.1"),
        ("手册（2024版）", "2024版"),
        ("章程_第三版", "第三版"),
        ("overview", None),
        ("ipv6-guide", None),
        ("plan_2024", None),
    ],
)
def test_version_from_name(stem: str, version: str | None) -> None:
    assert version_from_name(stem) == version


@pytest.mark.parametrize(
    ("title", "kept"),
    [
        ("员工手册", "员工手册"),
        (" Travel  policy ", "Travel policy"),
        ("untitled", None),
        ("Microsoft Word - a.doc", None),
        ("report.docx", None),
        ("", None),
        (None, None),
    ],
)
def test_titles_that_programs_write_are_left(title: str | None, kept: str | None) -> None:
    assert sensible_title(title) == kept


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
        ("自二零二四年十月三十一日起施行。", {"effective_from": "2024-10-31"}),
        ("Effective from 3 Sept 2024; expires on Foo 3, 2024.", {"effective_from": "2024-09-03"}),
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


def test_caller_front_matter_and_name_win_over_the_text(load_bytes: Load) -> None:
    head = "---\neffective_from: 2024-06-01\n---\n"
    text = f"{head}# 办法（2024年修订）\n\n版本：2\n\n自2024年5月1日起施行，有效期至2026年4月30日。\n"
    document = load_bytes("a.md", text.encode(), metadata={"effective_to": "2025-12-31"})
    assert document.metadata == {"effective_from": "2024-06-01", "effective_to": "2025-12-31", "encoding": "utf-8"}
    assert document.version == "2024年修订"
    assert load_bytes("b_V9.md", text.encode()).version == "9"
    assert load_bytes("c.md", text.replace("（2024年修订）", "").encode()).version == "2"
