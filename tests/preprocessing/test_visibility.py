from pathlib import Path

import pytest

from preprocessing.errors import LoadError
from preprocessing.load import load
from preprocessing.visibility import groups_of


@pytest.mark.parametrize(
    ("head", "groups"),
    [
        ("---\nvisible_to: [hr, board]\n---\n", ("hr", "board")),
        ("---\nvisible_to: hr, board\n---\n", ("hr", "board")),
        ("---\nvisible_to: [HR]\n---\n", ("hr",)),
        ("---\nVisible-To: hr\n---\n", ("hr",)),
        ("---\nvisible_to: public\n---\n", None),
        ("---\ntitle: x\n---\n", None),
        ("", None),
    ],
)
def test_groups_are_read_however_they_are_written(tmp_path: Path, head: str, groups: tuple[str, ...] | None) -> None:
    path = tmp_path / "a.md"
    path.write_text(f"{head}# 薪酬\n\n总监年薪 80 万元。\n", encoding="utf-8")
    metadata = load(path, source="a.md").metadata
    assert metadata.get("visible_to") == groups
    assert "Visible-To" not in metadata


@pytest.mark.parametrize(
    "text",
    [
        "---\nvisible_to: [hr\n---\n# 薪酬\n\n总监年薪 80 万元。\n",
        "---\nvisible_to: [hr]\n# 薪酬\n\n总监年薪 80 万元。\n",
        "\n\n---\nvisible_to: [hr]\n---\n# 薪酬\n\n总监年薪 80 万元。\n",
        "---\n- visible_to: hr\n---\n# 薪酬\n\n总监年薪 80 万元。\n",
        "---\nvisible_to:\n---\n# 薪酬\n\n总监年薪 80 万元。\n",
        "---\nvisible_to: []\n---\n# 薪酬\n\n总监年薪 80 万元。\n",
        "---\nvisible_to: ' , '\n---\n# 薪酬\n\n总监年薪 80 万元。\n",
    ],
)
def test_a_mistake_never_makes_a_document_public(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.md"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(LoadError, match="visible_to"):
        load(path, source="a.md")


def test_a_text_about_the_setting_is_no_setting(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("# Manual\n\nThe key visible_to: [hr] restricts a document.\n", encoding="utf-8")
    assert "visible_to" not in load(path, source="a.md").metadata


def test_groups_of() -> None:
    assert groups_of("HR，board; 财务部、hr") == ("hr", "board", "财务部")
