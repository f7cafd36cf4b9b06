import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.cli import watch
from agent.settings import Settings
from agent.view.ingest import problems_text, report_json
from retrieval.ingest import IngestReport
from retrieval.knowledge_base import KnowledgeBase
from tests.fakes import CharacterEmbedder

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def _predictable_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "open_embedder", lambda _model: CharacterEmbedder())


def write(name: str, text: str = "# 休假\n\n年假 5 天。\n") -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path.resolve()


def follow(paths: list[Path], bursts: Iterator[set[Path]], home: Path) -> list[IngestReport]:
    reports: list[IngestReport] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("agent.cli.watch.changes", lambda *_: bursts)
        watch.follow(paths, {}, Settings(home=home), reports.append)
    return reports


def sources(home: Path) -> list[str]:
    with KnowledgeBase.open(Settings(home=home), embedder=CharacterEmbedder()) as base:
        return [record.source for record in base.documents()]


def test_everything_is_brought_in_and_then_what_changes(tmp_path: Path) -> None:
    write("docs/a.md")
    write("docs/b.md", "# 乙\n\n住宿 500 元。\n")

    def bursts() -> Iterator[set[Path]]:
        yield set()
        yield {write("docs/b.md", "# 乙\n\n住宿 600 元。\n")}
        yield set()
        yield {write("docs/notes.xyz")}

    first, second = follow([Path("docs")], bursts(), tmp_path / "home")
    assert (first.documents, first.updated) == (2, 0)
    assert (second.documents, second.updated) == (1, 1)


def test_what_is_deleted_is_taken_out_and_what_is_renamed_stays(tmp_path: Path) -> None:
    for name in ("docs/a.md", "docs/b.md", "docs/sub/c.md", "docs/d.md", "docs/e.md", "elsewhere.md"):
        write(name, f"# {name}\n\n年假 5 天。\n")
    home = tmp_path / "home"
    with KnowledgeBase.open(Settings(home=home), embedder=CharacterEmbedder()) as base:
        base.ingest([Path("docs"), Path("elsewhere.md")])
    Path("docs/e.md").unlink()  # before the watch: it may have been moved for a while

    def bursts() -> Iterator[set[Path]]:
        yield set()
        Path("docs/a.md").unlink()
        Path("docs/d.md").rename("docs/new.md")
        Path("elsewhere.md").unlink()
        yield {Path(name).resolve() for name in ("docs/a.md", "docs/d.md", "docs/new.md", "elsewhere.md")}
        shutil.rmtree("docs/sub")
        yield {Path("docs/sub").resolve()}
        Path("docs/b.md").unlink()
        write("docs/b.md", "# docs/b.md\n\n年假 5 天。\n")  # as editors write
        yield {Path("docs/b.md").resolve()}

    first, second, third = follow([Path("docs")], bursts(), home)
    assert (first.missing, first.removed) == (["docs/e.md"], [])
    assert second.removed == ["docs/a.md"]
    assert third.removed == ["docs/sub/c.md"]
    assert sources(home) == ["docs/b.md", "docs/e.md", "docs/new.md", "elsewhere.md"]
    assert problems_text(second) == ["removed  docs/a.md: its file is gone"]
    assert report_json(third)["removed"] == ["docs/sub/c.md"]


def test_a_watched_file_that_is_deleted_is_taken_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write("docs/a.md")
    write("docs/b.md", "# 乙\n\n住宿 500 元。\n")
    home = tmp_path / "home"

    def bursts() -> Iterator[set[Path]]:
        yield set()
        Path("docs/a.md").unlink()
        with KnowledgeBase.open(Settings(home=home), embedder=CharacterEmbedder()):
            yield {Path("docs/a.md").resolve()}  # told once, and done when the knowledge base is free again
        yield set()

    _, second = follow([Path("docs/a.md"), Path("docs/b.md")], bursts(), home)
    assert second.removed == ["docs/a.md"]
    assert "trying again in 3 seconds" in caplog.text
    assert sources(home) == ["docs/b.md"]


def test_a_folder_that_is_not_there_takes_nothing_out(tmp_path: Path) -> None:
    write("drive/docs/a.md")
    home = tmp_path / "home"

    def bursts() -> Iterator[set[Path]]:
        yield set()
        Path("drive").rename("away")
        yield {Path("drive/docs").resolve()}

    follow([Path("drive/docs")], bursts(), home)
    assert sources(home) == ["drive/docs/a.md"]


@pytest.mark.soak
@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent in another way")
def test_in_a_process_of_its_own(tmp_path: Path) -> None:
    write("docs/a.md")
    command = [sys.executable, "-c", "from agent.cli import main; main()", "ingest", "docs", "--watch", "--json"]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "FOLIO_HOME": str(tmp_path / "docs/index")}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            assert '"documents": 1' in process.stdout.readline()
            write("docs/b.md", "# 乙\n\n住宿 500 元。\n")
            # Seen as it changed, or with all others when the watch began to stand.
            report = json.loads(process.stdout.readline())
            assert report["documents"] - report["unchanged"] == 1
            Path("docs/a.md").unlink()
            report = json.loads(process.stdout.readline())
            assert report["removed"] == ["docs/a.md"]
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=60) == 0
            assert process.stdout.read() == ""
        finally:
            process.kill()
