from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from eval import cli
from eval.sets.files import Query
from eval.tasks.retrieval import Rewrite, rewriter
from tests.fakes import CharacterEmbedder

HISTORY = (("user", "国内出差的住宿标准是多少？"), ("assistant", "500 元。"))
FOLLOW_UP = Query("q", "那餐补呢？", history=HISTORY, gold_rewrite="出差餐补多少钱？")
ALONE = Query("q", "那餐补呢？")


@pytest.mark.parametrize(
    ("how", "query", "searched"),
    [
        ("none", FOLLOW_UP, "那餐补呢？"),
        ("gold", FOLLOW_UP, "出差餐补多少钱？"),
        ("rules", FOLLOW_UP, "国内出差的住宿标准是多少？ 那餐补呢？"),
        ("gold", ALONE, "那餐补呢？"),
        ("rules", ALONE, "那餐补呢？"),
    ],
)
def test_what_is_searched(how: Rewrite, query: Query, searched: str) -> None:
    assert rewriter(how)(query) == searched


def test_the_command_searches_the_rewrite(
    make_set: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eval.tasks.retrieval.open_embedder", lambda model: CharacterEmbedder())
    queries = [
        {
            "query_id": "q1",
            "query": "那呢？",
            "history": [{"role": role, "text": text} for role, text in HISTORY],
            "gold_rewrite": "国内出差餐补",
        },
        {"query_id": "q2", "query": "annual leave"},
    ]
    folder = make_set(queries=queries, qrels=[("q1", "meals", 1), ("q2", "leave", 1)])
    printed = {
        how: CliRunner().invoke(cli.app, ["retrieval", "--data", str(folder), "--rewrite", how], catch_exceptions=False)
        for how in ("none", "gold")
    }
    assert "rewritten" not in printed["none"].stdout
    assert "| keyword | 0.500 |" in printed["none"].stdout
    assert ", follow-ups rewritten: gold (token F1 1.000, n = 1)\n" in printed["gold"].stdout
    assert "| keyword | 1.000 |" in printed["gold"].stdout
