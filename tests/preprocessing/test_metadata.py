import os
from pathlib import Path

import pytest

from preprocessing.metadata import front_matter, modification_time, sensible_title, version_from_name


def test_front_matter_values_are_text() -> None:
    head = "---\ntitle: 休假\nupdated_at: 2024-03-05\ntags: [人事, 2024]\ndraft: true\nempty:\n---\n正文\n"
    assert front_matter(head) == (
        {"title": "休假", "updated_at": "2024-03-05", "tags": ("人事", "2024"), "draft": "true"},
        "正文\n",
    )


@pytest.mark.parametrize(
    "head",
    ["**法务部**\n地址：*甲区*", "只有一句话", "- 一\n- 二", "day: 2024-02-30", "a: [1"],
    ids=["bold", "scalar", "list", "impossible date", "broken"],
)
def test_a_head_that_is_no_mapping_stays_text(head: str) -> None:
    assert front_matter(f"---\n{head}\n---\n\n# 催告函\n") == ({}, f"{head}\n\n\n# 催告函\n")


def test_rules_later_in_the_text_are_no_front_matter() -> None:
    assert front_matter("前言\n---\na: 1\n---\n") == ({}, "前言\n---\na: 1\n---\n")


@pytest.mark.parametrize(
    ("stem", "version"),
    [
        ("报销制度_V2", "2"),
        ("manual-v2.1", "2.1"),
        ("手册（2024版）", "2024版"),
        ("手册（2024年版）", "2024年版"),
        ("pump v3 final", "3"),
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
        ("文档1", None),
        ("2024-01", None),
        ("", None),
        (None, None),
    ],
)
def test_titles_that_programs_write_are_left(title: str | None, kept: str | None) -> None:
    assert sensible_title(title) == kept


def test_modification_time_is_utc(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("a", encoding="utf-8")
    os.utime(file, (86400, 86400))
    assert modification_time(file) == "1970-01-02T00:00:00+00:00"
