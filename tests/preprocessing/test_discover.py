from pathlib import Path

import pytest

from preprocessing.discover import discover


def write(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("文", encoding="utf-8")


def test_folders_are_walked_in_order_without_hidden_and_other_files(tmp_path: Path) -> None:
    write(tmp_path, "b.md", "a/二.txt", "a/一.PDF", ".git/x.md", "a/.hidden.md", "a/photo.png")
    files, left_out = discover([tmp_path])
    assert [file.relative_to(tmp_path).as_posix() for file in files] == ["a/一.PDF", "a/二.txt", "b.md"]
    assert left_out == []


def test_named_paths_that_cannot_be_used_are_told(tmp_path: Path) -> None:
    write(tmp_path, "photo.png")
    kinds = ".csv, .docx, .htm, .html, .md, .pdf, .pptx, .txt, .xlsx"
    reason = f"files of type .png are not supported; supported are {kinds}"
    assert discover([tmp_path / "photo.png", tmp_path / "none.md"]) == (
        [],
        [(tmp_path / "photo.png", reason), (tmp_path / "none.md", "no such file or folder")],
    )


def test_links_that_loop_leave_or_break_are_not_followed(tmp_path: Path) -> None:
    write(tmp_path, "kb/a.md", "outside/secret.md")
    for name, target in [("loop", "."), ("up", ".."), ("secret.md", "../outside/secret.md"), ("broken.md", "nowhere")]:
        (tmp_path / "kb" / name).symlink_to(target)
    (tmp_path / "kb/self.md").symlink_to("self.md")
    files, left_out = discover([tmp_path / "kb"])
    assert files == [tmp_path / "kb/a.md"]
    assert {path.name: reason for path, reason in left_out} == {
        "loop": "link to a folder already read",
        "up": "link leaves the folder",
        "secret.md": "link leaves the folder",
        "broken.md": "broken link",
        "self.md": "broken link",
    }


def test_patterns_name_files(tmp_path: Path) -> None:
    write(tmp_path, "a/一.md", "a/b/二.md", "a/b/三.txt", "a/.git/四.md", "a/[五].md", "a/图.png")
    files, left_out = discover([tmp_path / "a/**/*.md", tmp_path / "a/[五].md", tmp_path / "*.pdf"])
    assert [file.name for file in files] == ["[五].md", "二.md", "一.md"]
    assert left_out == [(tmp_path / "*.pdf", "no file matches that can be read")]


@pytest.mark.parametrize(
    ("patterns", "kept"),
    [
        ("# 注释\n\n*.txt\n", ["a.md", "d/a.md", "d/e/a.md", "f/b.md"]),
        ("a.md", ["a.txt", "d/b.txt", "f/b.md"]),
        ("/a.md", ["a.txt", "d/a.md", "d/b.txt", "d/e/a.md", "f/b.md"]),
        ("d/", ["a.md", "a.txt", "f/b.md"]),
        ("*.md\n!/f/*", ["a.txt", "d/b.txt", "f/b.md"]),
    ],
)
def test_a_folder_says_what_is_not_read(tmp_path: Path, patterns: str, kept: list[str]) -> None:
    write(tmp_path, "a.md", "a.txt", "d/a.md", "d/b.txt", "d/e/a.md", "f/b.md")
    (tmp_path / ".folioignore").write_text(patterns, encoding="utf-8")
    assert sorted(file.relative_to(tmp_path).as_posix() for file in discover([tmp_path])[0]) == kept


def test_a_folder_inside_adds_its_own_patterns(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "d/a.md", "d/b.md")
    (tmp_path / "d/.folioignore").write_text("/a.md\n", encoding="utf-8")
    assert [file.relative_to(tmp_path).as_posix() for file in discover([tmp_path])[0]] == ["a.md", "d/b.md"]


def test_patterns_that_cannot_be_read_let_nothing_be_read(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    (tmp_path / ".folioignore").write_bytes("薪酬*".encode("gbk"))
    assert discover([tmp_path]) == ([], [(tmp_path, "its .folioignore is no UTF-8 text")])
