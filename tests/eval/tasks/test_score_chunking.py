from collections.abc import Callable
from pathlib import Path

import pytest

from eval.sets.load import load_set
from eval.tasks.chunking import fixed, run_chunking, within_budget
from retrieval.settings import RetrievalSettings
from tests.fakes import CharacterEmbedder, make_hit

Make = Callable[..., Path]


@pytest.mark.parametrize(
    ("budget", "expected"),
    [(3, ["abc"]), (4, ["abc", "d"]), (5, ["abc", "de"]), (99, ["abc", "de", "f"]), (2, ["ab"])],
)
def test_the_budget_is_used_to_the_last_character(budget: int, expected: list[str]) -> None:
    hits = [make_hit("abc"), make_hit("de"), make_hit("f")]
    assert [text for text, _ in within_budget(hits, budget)] == expected


def test_a_run_over_whole_documents(make_set: Make, docs: dict[str, str], tmp_path: Path) -> None:
    eval_set = load_set(make_set(docs=docs), whole_documents=True)
    settings = RetrievalSettings(home=tmp_path)
    compared = {"fixed 1000": fixed(1000), "fixed 10": fixed(10)}
    run = run_chunking(
        eval_set, settings, compared, budget=200, keep=tmp_path / "run.json", embedder=CharacterEmbedder()
    )
    assert (run.rows, run.set.searched) == (["fixed 1000", "fixed 10"], 2)
    scores = [question.scores for question in run.questions]
    assert [score["fixed 1000"] for score in scores] == [{"hit": 1.0}] * 2
    # "fifteen days" is longer than a chunk of ten characters.
    assert scores[1]["fixed 10"] == {"hit": 0.0}
    assert run.statistics["fixed 10"]["max chars"] == 10
    assert (tmp_path / "run.json").is_file()
