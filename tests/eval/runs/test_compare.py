"""A regression gate: silent on a copy, loud on a loss, and never on two different tasks."""

from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from typer.testing import CliRunner

from eval import cli
from eval.runs.compare import compare
from eval.runs.run import QuestionScore, Run, SetIdentity
from eval.sets.files import SetError
from eval.sets.load import load_set
from eval.tasks.retrieval import run_retrieval
from eval.tasks.stages import Row
from retrieval.settings import RetrievalSettings
from tests.fakes import CharacterEmbedder

SAMPLE = Path(__file__).parents[3] / "eval" / "data" / "sample"


def make_run(scores: dict[str, float], row: str = "hybrid", **changes: Any) -> Run:
    identity = {"name": "small", "split": "dev", "digest": "d", "searched": 3, "unit": "passages"}
    identity |= {key: changes.pop(key) for key in list(changes) if key in identity}
    values: dict[str, Any] = {
        "command": "retrieval",
        "commit": None,
        "created_at": "2026-01-01",
        "set": SetIdentity.model_validate(identity),
        "settings": {},
        "rows": [row],
        "questions": [
            QuestionScore(query_id=name, question=f"{name}？", scores={row: {"MRR@10": score, "R@5": 1.0}})
            for name, score in scores.items()
        ],
    }
    return Run.model_validate(values | changes)


GOOD = {f"q{number}": 1.0 for number in range(60)}
BAD = {name: 0.0 if number % 3 == 0 else 1.0 for number, name in enumerate(GOOD)}


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return a run of the sample set with predictable vectors: scores of the shape that real ones have."""
    home = tmp_path_factory.mktemp("home")
    eval_set = load_set(SAMPLE, whole_documents=True)
    rows: tuple[Row, ...] = ("vector", "keyword", "hybrid")
    return run_retrieval(eval_set, RetrievalSettings(home=home), rows, embedder=CharacterEmbedder())


def test_a_leg_switched_off_is_a_loss_where_the_leg_bears(real: Run) -> None:
    better, worse = sorted(("vector", "keyword"), key=lambda row: -mean(real, row))
    assert compare(real, real, better, worse, "MRR@10").verdict == "significant loss"
    assert compare(real, real, worse, better, "MRR@10").verdict == "significant gain"
    assert compare(real, real, "hybrid", "hybrid", "MRR@10").verdict == "no difference"


def mean(run: Run, row: str) -> float:
    return fmean(question.scores[row]["MRR@10"] for question in run.questions)


def test_changes_by_question() -> None:
    old = make_run({"same": 0.5, "worse": 1.0, "better": 0.2, "gone": 1.0})
    new = make_run({"better": 1.0, "worse": 0.25, "same": 0.5, "new": 1.0})
    found = compare(old, new, "hybrid", "hybrid", "MRR@10")
    assert found.questions == 3
    assert found.before == pytest.approx(1.7 / 3)
    assert found.after == pytest.approx(1.75 / 3)
    assert [(c.question.query_id, c.before, c.after) for c in found.worse] == [("worse", 1.0, 0.25)]
    assert [(c.question.query_id, c.before, c.after) for c in found.better] == [("better", 0.2, 1.0)]
    assert found.verdict == "no significant difference"


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (make_run(GOOD, name="other"), "small/dev and the other on the passages of other/dev"),
        (make_run(GOOD, split="test"), "small/test"),
        (make_run(GOOD, unit="chunks"), "the chunks of"),
        (make_run(GOOD, digest="e"), "files of small/dev changed between the runs"),
        (make_run(GOOD, command="answers"), "compare like with like"),
        (make_run(GOOD, row="vector"), "no row 'hybrid'; it has vector"),
        (make_run({"elsewhere": 1.0}), "no question has MRR@10 in both"),
    ],
)
def test_runs_that_cannot_be_compared(other: Run, message: str) -> None:
    with pytest.raises(SetError, match=message) as caught:
        compare(make_run(GOOD), other, "hybrid", "hybrid", "MRR@10")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("after", "arguments", "exit_code", "last"),
    [
        (GOOD, [], 0, "MRR@10: no difference"),
        (BAD, [], 1, "MRR@10: significant loss"),
        (BAD, ["--metric", "R@5"], 0, "R@5: no difference"),
    ],
)
def test_the_gate(tmp_path: Path, after: dict[str, float], arguments: list[str], exit_code: int, last: str) -> None:
    make_run(GOOD).save(tmp_path / "a.json")
    make_run(after).save(tmp_path / "b.json")
    result = CliRunner().invoke(cli.app, ["compare", str(tmp_path / "a.json"), str(tmp_path / "b.json"), *arguments])
    assert result.exit_code == exit_code
    assert result.output.splitlines()[-1] == last
    if after is BAD and not arguments:
        assert "MRR@10: 0 better, 20 worse, 40 equal" in result.output
        assert "- 1.000 → 0.000  q0  q0？" in result.output
        assert "- and 15 more" in result.output
