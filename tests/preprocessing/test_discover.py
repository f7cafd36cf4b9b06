from pathlib import Path

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
    assert discover([tmp_path / "photo.png", tmp_path / "none.md"]) == (
        [],
        [
            (tmp_path / "photo.png", "files of type .png are not supported; supported are .docx, .md, .pdf, .txt"),
            (tmp_path / "none.md", "no such file or folder"),
        ],
    )


def test_a_file_is_given_once(tmp_path: Path) -> None:
    write(tmp_path, "kb/a.md")
    (tmp_path / "kb/0.md").symlink_to("a.md")
    assert discover([tmp_path / "kb", tmp_path / "kb/a.md"])[0] == [tmp_path / "kb/a.md"]


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
