"""Whole-agent runs with the built-in model, over documents and over ready-made passages."""

from collections.abc import Callable
from pathlib import Path

import pytest

from agent.settings import Settings
from eval.sets.load import load_set
from eval.tasks.answers import answers_table, run_answers
from tests.fakes import CharacterEmbedder, ScriptedChatModel

Make = Callable[..., Path]
FOLLOW_UP = {
    "query_id": "q1",
    "query": "那餐补呢？",
    "answerable": True,
    "reference_answer": "每天 100 元。",
    "history": [{"role": "user", "text": "国内出差的住宿标准是多少？"}, {"role": "assistant", "text": "500 元。"}],
    "gold_rewrite": "国内出差的餐补是多少？",
}


def test_passages_are_asked_over_and_cited_by_id(make_set: Make, tmp_path: Path) -> None:
    eval_set = load_set(make_set(queries=[FOLLOW_UP], qrels=[("q1", "meals", 1)]))
    replies = [
        "Thought: t\nAction: query_rewrite\nAction Input: 那餐补呢？",
        "Thought: t\nAction: knowledge_search\nAction Input: 国内出差的餐补是多少？",
        "Thought: t\nFinal Answer: 国内出差餐补为每天 100 元。",
    ]
    model = ScriptedChatModel(replies=replies)
    run = run_answers(eval_set, Settings(home=tmp_path), model=model, embedder=CharacterEmbedder())
    (question,) = run.questions
    assert (run.set.searched, run.set.unit) == (3, "passages")
    assert question.rankings["agent"] == ["meals"]
    scores = question.scores["agent"]
    assert (scores["citation recall"], scores["refused"], scores["tool calls"]) == (1.0, 0.0, 2.0)
    assert "国内出差的住宿标准是多少？" in str(model.prompts[0][-1].text)
    assert scores["rewrite F1"] == 1.0
    # All four tokens of 每天 100 元 are among the eleven of the answer.
    assert scores["token F1"] == pytest.approx(2 * 4 / (4 + 11))
    assert "contains answer" not in scores
    assert list(question.milliseconds) == ["rewrite", "search", "model", "ask"]
    assert "| rewrite F1         |   1 | 1.000 |" in answers_table(run)
