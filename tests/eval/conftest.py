"""Small sets, written as files."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

SetMaker = Callable[..., Path]

PASSAGES = [
    {"doc_id": "travel", "title": "差旅制度", "section": "住宿", "text": "普通员工国内出差，每晚住宿标准为 500 元。"},
    {"doc_id": "meals", "title": "差旅制度", "section": "餐补", "text": "国内出差餐补为每天 100 元。"},
    {"doc_id": "leave", "title": "Leave", "section": "", "text": "Employees have fifteen days of annual leave."},
]
QUERIES: list[dict[str, Any]] = [
    {
        "query_id": "q1",
        "query": "每晚住宿标准是多少？",
        "type": "natural",
        "answers": ["500 元"],
        "gold_doc_file": "travel.md",
    },
    {
        "query_id": "q2",
        "query": "How many days of annual leave?",
        "type": "natural",
        "answers": ["fifteen days"],
        "gold_doc_file": ["leave.md"],
    },
    {"query_id": "q3", "query": "火星基地在哪里？", "type": "unanswerable", "answerable": False, "answers": []},
]
QRELS = [("q1", "travel", 2), ("q1", "meals", 1), ("q2", "leave", 1)]
DOCS = {
    "travel.md": "# 差旅制度\n\n## 住宿\n\n普通员工国内出差，每晚住宿标准为 500 元。\n\n"
    "## 餐补\n\n国内出差餐补为每天 100 元。\n",
    "leave.md": "# Leave\n\nEmployees have fifteen days of annual leave.\n",
}


@pytest.fixture
def make_set(tmp_path: Path) -> SetMaker:
    """Return a function that writes a set; what is None is left out."""

    def write(
        name: str = "small",
        *,
        queries: Sequence[Mapping[str, Any]] | None = QUERIES,
        qrels: Sequence[tuple[str, str, int]] | None = QRELS,
        passages: Sequence[Mapping[str, Any]] | None = PASSAGES,
        docs: Mapping[str, str] | None = None,
        source: str | None = None,
        split: str = "dev",
    ) -> Path:
        folder = tmp_path / name
        (folder / split).mkdir(parents=True)
        if queries is not None:
            (folder / split / "queries.jsonl").write_text(_lines(queries), encoding="utf-8")
        if qrels is not None:
            rows = ["query_id\tdoc_id\trelevance", *("\t".join(map(str, row)) for row in qrels)]
            (folder / split / "qrels.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
        if passages is not None:
            (folder / "corpus.jsonl").write_text(_lines(passages), encoding="utf-8")
        for file, text in (docs or {}).items():
            path = folder / "docs" / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        if source is not None:
            (folder / "SOURCE.md").write_text(source, encoding="utf-8")
        return folder

    return write


@pytest.fixture
def docs() -> dict[str, str]:
    """Return whole documents that the questions of a small set ask about."""
    return dict(DOCS)


def _lines(objects: Sequence[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in objects)
