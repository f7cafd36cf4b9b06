import os
from pathlib import Path

import pytest

from preprocessing.load.markdown import front_matter
from preprocessing.load.metadata import modification_time, sensible_title, version_from_name


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
        ("12:30", "12:30"),
        ("1_000", "1_000"),
        ("2024-02-30", "2024-02-30"),
        ("2024-03-05 10:00:00", "2024-03-05 10:00:00"),
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
