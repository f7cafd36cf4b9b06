import os
import signal
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import openpyxl
import pptx
import pytest

from preprocessing import loader
from preprocessing.errors import LoadError
from preprocessing.load import load
from preprocessing.loader import Loader, Loaders
from tests.preprocessing.files import saved, word

LARGE = 40 * 1024
READY = "import os, pickle, sys, time; request = pickle.load(sys.stdin.buffer); "


@pytest.fixture
def files() -> Iterator[Loader]:
    with Loader() as opened:
        yield opened


def workbook() -> bytes:
    made = openpyxl.Workbook()
    made.active.append(["年假", "五天"])  # type: ignore[union-attr]
    return saved(made)


def slides() -> bytes:
    made = pptx.Presentation()
    made.slides.add_slide(made.slide_layouts[5]).shapes.title.text = "年假五天"  # type: ignore[union-attr]
    return saved(made)


FORMATS = {
    "a.docx": word,
    "a.xlsx": workbook,
    "a.pptx": slides,
    "a.html": lambda: b"<p>Five days of leave.</p>",
    "a.csv": lambda: b"leave,days\n" + b"annual,5\n" * (LARGE // 9),
    "a.md": lambda: b"# Leave\n\n" + b"Five days. " * (LARGE // 11),
    "a.txt": lambda: b"Five days. " * (LARGE // 11),
}


@pytest.fixture(params=FORMATS)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    file = tmp_path / str(request.param)
    file.write_bytes(FORMATS[file.name]())
    return file


def instead_of_reading(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Let the process do something else once it was asked."""
    monkeypatch.setattr(loader, "command", lambda _module: [sys.executable, "-c", READY + code])


def test_every_format_gives_what_it_gives_here(files: Loader, path: Path) -> None:
    said = {"source": f"kb/{path.name}", "metadata": {"department": "人事"}}
    assert files.load(path, **said) == load(path, **said)  # type: ignore[arg-type]


def test_a_file_has_a_time_limit(files: Loader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    instead_of_reading(monkeypatch, "time.sleep(600)")
    monkeypatch.setattr(loader, "MAX_SECONDS", 0.3)
    (tmp_path / "a.docx").write_bytes(word())
    with pytest.raises(LoadError, match=r"^kb/a\.docx: reading took more than 0.3 seconds; split the file$"):
        files.load(tmp_path / "a.docx", source="kb/a.docx")


@pytest.mark.skipif(sys.platform == "win32", reason="a process ends there with another number")
def test_a_reader_that_crashes_is_told_and_the_next_file_read(
    files: Loader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.docx").write_bytes(word())
    with monkeypatch.context() as patched:
        instead_of_reading(patched, f"os.kill(os.getpid(), {int(signal.SIGSEGV)})")
        with pytest.raises(LoadError, match=r"^kb/a\.docx: the reader stopped \(exit -11\); save it anew from its"):
            files.load(tmp_path / "a.docx", source="kb/a.docx")
    assert files.load(tmp_path / "a.docx", source="kb/a.docx").blocks[0].text == "年假五天。"


def test_a_page_that_takes_too_long_ends_the_process(
    files: Loader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = """
from preprocessing import loader
from preprocessing.load.pdf import pages
pages.STEP_SECONDS = 0.2
pages.PdfReader = lambda _data: time.sleep(600)
from preprocessing.process import limit
limit()
loader.answer(request)
"""
    instead_of_reading(monkeypatch, code)
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.7\n")
    with pytest.raises(LoadError, match=r"^kb/a\.pdf: a page takes too long to read; print the file to a new PDF$"):
        files.load(tmp_path / "a.pdf", source="kb/a.pdf")


def test_small_texts_need_no_process(files: Loader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_module: str) -> list[str]:
        raise AssertionError("a process was started")

    monkeypatch.setattr(loader, "command", refuse)
    for name in ("a.md", "a.txt", "a.csv"):
        (tmp_path / name).write_text("年假,五天", encoding="utf-8")
        assert "五天" in files.load(tmp_path / name, source=name).blocks[0].text


def test_a_bug_keeps_its_stack_trace_and_too_little_memory_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    problems = [KeyError("a bug"), MemoryError()]

    def fail(**_arguments: object) -> None:
        raise problems.pop(0)

    monkeypatch.setattr(loader, "load", fail)
    bug, memory = (loader.answer({"source": "kb/a.xlsx"}) for _ in range(2))
    assert isinstance(bug, RuntimeError)
    assert str(bug) == "KeyError: 'a bug'"
    assert "in fail" in bug.__notes__[0]
    assert str(memory) == "kb/a.xlsx: needs more than 4 GB of memory; split the file"


def test_a_module_in_the_working_folder_is_not_run(files: Loader, tmp_path: Path) -> None:
    (tmp_path / "lxml.py").write_text("raise SystemExit", encoding="utf-8")
    (tmp_path / "a.html").write_text("<p>年假五天。</p>", encoding="utf-8")
    assert Path.cwd() == tmp_path
    assert files.load(tmp_path / "a.html", source="a.html").blocks[0].text == "年假五天。"


def test_several_are_loaded_at_a_time_and_each_is_its_own(tmp_path: Path) -> None:
    for number in range(6):
        (tmp_path / f"{number}.html").write_text(f"<p>年假 {number} 天。</p>", encoding="utf-8")
    (tmp_path / "3.html").write_bytes(b"")
    with Loaders(2) as loaders:
        begun = [loaders.load(tmp_path / f"{number}.html", f"{number}.html", {}) for number in range(6)]
        said = [str(found.exception() or found.result().blocks[0].text) for found in begun]
    assert said == [f"年假 {number} 天。" if number != 3 else "3.html: file is empty" for number in range(6)]


def test_closing_ends_what_is_being_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    instead_of_reading(monkeypatch, "time.sleep(600)")
    (tmp_path / "a.html").write_text("<p>年假五天。</p>", encoding="utf-8")
    with Loaders(1) as loaders:
        begun = [loaders.load(tmp_path / "a.html", "a.html", {}) for _ in range(2)]
        while not loaders._all[0]._process:
            os.sched_yield()
    assert begun[0].exception() is not None
    assert begun[1].cancelled()


@pytest.mark.parametrize(
    ("name", "limit", "value", "data", "message"),
    [
        ("a.md", "preprocessing.load.MAX_BYTES", 2**20, lambda: b"a" * (3 * 2**20), "file has 3 MB, the limit is 1 MB"),
        ("a.pptx", "preprocessing.load.slides.MAX_SLIDES", 0, slides, "has 1 slides, the limit is 0; split it"),
        ("a.docx", "preprocessing.load.content.MAX_UNPACKED_BYTES", 1, word, "the limit is 0 MB; split it"),
        ("a.pptx", "preprocessing.load.content.MAX_UNPACKED_BYTES", 1, slides, "the limit is 0 MB; split it"),
        ("a.xlsx", "preprocessing.load.sheets.MAX_UNPACKED_BYTES", 1, workbook, "the limit is 0 MB; split it"),
    ],
)
def test_each_size_has_its_own_limit(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    limit: str,
    value: int,
    data: Callable[[], bytes],
    message: str,
) -> None:
    monkeypatch.setattr(limit, value)
    (tmp_path / name).write_bytes(data())
    with pytest.raises(LoadError, match=rf"^kb/{name}: .*{message}"):
        load(tmp_path / name, source=f"kb/{name}")


@pytest.mark.parametrize(
    ("name", "part"), [("a.docx", "word/document.xml"), ("a.xlsx", "xl/a.xml"), ("a.pptx", "ppt/a")]
)
def test_what_unpacks_hugely_is_refused_before_it_is_unpacked(tmp_path: Path, name: str, part: str) -> None:
    with zipfile.ZipFile(tmp_path / name, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr(part, b"<a/>" * (3 * 2**20))
    with pytest.raises(LoadError, match=rf"{part} unpacks \d+ to 1, the limit is 100 to 1"):
        load(tmp_path / name, source=f"kb/{name}")
