"""A regression gate: silent on a copy, loud on a loss, and never on two different tasks."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from eval import cli
from eval.compare import compare
from eval.jsonl import SetError
from eval.runs import QuestionScore, Run, SetIdentity


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
    ("before", "after", "verdict"),
    [(GOOD, GOOD, "no difference"), (GOOD, BAD, "significant loss"), (BAD, GOOD, "significant gain")],
)
def test_verdicts(before: dict[str, float], after: dict[str, float], verdict: str) -> None:
    assert compare(make_run(before), make_run(after), "hybrid", "hybrid", "MRR@10").verdict == verdict


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (make_run(GOOD, name="other"), "small/dev and the other on the passages of other/dev"),
        (make_run(GOOD, split="test"), "small/test"),
        (make_run(GOOD, unit="chunks"), "the chunks of"),
        (make_run(GOOD, digest="e"), "files of small/dev changed between the runs"),
        (make_run(GOOD, command="chunking"), "compare like with like"),
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


def test_an_unknown_metric_is_named(tmp_path: Path) -> None:
    make_run(GOOD).save(tmp_path / "a.json")
    path = str(tmp_path / "a.json")
    with pytest.raises(SetError, match="no metric 'F9'; it has MRR@10, R@5"):
        CliRunner().invoke(cli.app, ["compare", path, path, "--metric", "F9"], catch_exceptions=False)
