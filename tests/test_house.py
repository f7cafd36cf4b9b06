"""The house stays small enough to walk: how large it is, and how much of it one question enters."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from eval.walk import walk

ROOT = Path(__file__).parents[1]
PACKAGES = ("agent", "retrieval", "preprocessing", "prompts", "eval")
not_yet = pytest.mark.xfail(reason="the house is being made smaller", strict=False)


def python_files(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def lines(files: list[Path]) -> int:
    return sum(path.read_bytes().count(b"\n") for path in files)


def late_imports(path: Path) -> Iterator[str]:
    """Yield the place of each import that stands in the body of a function."""
    for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                if isinstance(node, ast.Import | ast.ImportFrom):
                    yield f"{path.relative_to(ROOT)}:{node.lineno}"


def test_files_and_lines_of_tests() -> None:
    ours, tests = python_files(*PACKAGES), python_files("tests")
    assert len(ours) <= 280
    assert lines(tests) <= 20_000


@not_yet
def test_lines() -> None:
    assert lines(python_files(*PACKAGES)) <= 27_000


def test_no_folder_is_a_crowd() -> None:
    folders = Counter(str(path.parent.relative_to(ROOT)) for path in python_files(*PACKAGES, "tests"))
    assert {folder: count for folder, count in folders.items() if count > 15} == {}


def test_imports_stand_at_the_top() -> None:
    """Only a seam, where a setting or a command chooses what does the work, imports when it is called."""
    late = sorted({place for path in python_files(*PACKAGES) for place in late_imports(path)})
    assert len(late) <= 20, late


def test_a_question_and_a_search_enter_few_files(monkeypatch: pytest.MonkeyPatch) -> None:
    # As it comes, with its reranker.
    monkeypatch.delenv("FOLIO_RERANK")
    question, search = walk()
    assert len(question) <= 60, question
    assert len(search) <= 25, search
