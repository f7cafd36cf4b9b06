"""What a reranker is trained on: gold first, then what only looks like it, and never a set that measures it."""

import json
import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from eval.sets import load_set
from eval.training_groups import main, question_groups, sentence_groups

Make = Callable[..., Path]
PASSAGES = [
    {"doc_id": "gold", "title": "", "section": "", "text": "上海住宿标准为 600 元。超出部分自理。"},
    {"doc_id": "near", "title": "", "section": "", "text": "北京住宿标准为 700 元。超出部分自理。"},
    {"doc_id": "holds", "title": "", "section": "", "text": "上海办事处住宿补助也是 600 元。按月发放。"},
    {"doc_id": "far", "title": "", "section": "", "text": "Leave is ten days. It is paid."},
]
QUERY = {"query_id": "q1", "query": "上海住宿标准是多少？", "answers": ["600 元"], "gold_doc_file": "a.md"}


@pytest.fixture
def folder(make_set: Make) -> Path:
    return make_set(passages=PASSAGES, queries=[QUERY], qrels=[("q1", "gold", 1)])


def test_the_gold_passage_is_first_and_no_negative_holds_the_answer(folder: Path) -> None:
    (group,) = question_groups(load_set(folder), random.Random(1))
    assert group.question == QUERY["query"]
    assert group.passages == ("上海住宿标准为 600 元。超出部分自理。", "北京住宿标准为 700 元。超出部分自理。")


def test_a_sentence_asks_for_the_rest_of_its_passage(folder: Path) -> None:
    groups = list(sentence_groups(load_set(folder), random.Random(1)))
    assert groups
    texts = [passage["text"] for passage in PASSAGES]
    for group in groups:
        assert any(set(group.passages[0]) <= set(text) for text in texts)
        assert group.passages[0] not in group.passages[1:]


def test_a_set_that_measures_is_refused(
    make_set: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    held_out = make_set().rename(tmp_path / "xquad_zh")
    out = tmp_path / "groups.jsonl"
    monkeypatch.setattr(sys, "argv", ["training_groups", "--data", str(held_out), "--out", str(out)])
    assert main() == 2
    assert "this set measures the reranker and must not train it" in capsys.readouterr().err
    assert not out.exists()


def test_groups_are_written_alike_each_time(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = []
    for name in ("one", "other"):
        out = tmp_path / f"{name}.jsonl"
        arguments = ["training_groups", "--data", str(folder), "--sentences", str(folder), "--out", str(out)]
        monkeypatch.setattr(sys, "argv", arguments)
        assert main() == 0
        written.append(out.read_text(encoding="utf-8"))
    assert written[0] == written[1]
    assert {"question", "passages", "gold"} == set(json.loads(written[0].splitlines()[0]))
