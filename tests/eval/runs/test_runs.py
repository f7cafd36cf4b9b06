import subprocess
from pathlib import Path

import pytest

from eval.runs import run
from eval.runs.run import load_run
from eval.sets.files import SetError


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"command": ', r"run\.json:1: not JSON"),
        (b"{}", "not a run .command: Field required"),
        (b'{"surprise": 1}', "not a run"),
        ('{"command": "\xff"}'.encode("latin-1"), "not UTF-8"),
        (None, "no such file"),
    ],
)
def test_a_file_that_is_no_run(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "run.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SetError, match=message) as caught:
        load_run(path)
    assert "\n" not in str(caught.value)


def test_the_commit_says_when_files_were_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "__file__", str(tmp_path / "eval" / "run.py"))
    (tmp_path / "eval").mkdir()
    assert run.code_commit() is None

    def git(*arguments: str) -> str:
        identity = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
        done = subprocess.run(["git", "-C", str(tmp_path), *identity, *arguments], capture_output=True, check=True)
        return done.stdout.decode().strip()

    git("init", "-q")
    (tmp_path / "eval" / "run.py").write_text("1", encoding="utf-8")
    git("add", ".")
    git("commit", "-qm", "one")
    commit = git("rev-parse", "HEAD")[:12]
    assert run.code_commit() == commit
    (tmp_path / "eval" / "run.py").write_text("2", encoding="utf-8")
    assert run.code_commit() == commit + "+"
