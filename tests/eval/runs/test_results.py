"""RESULTS.md is written from runs, with nothing of the texts of a set."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from eval import cli
from eval.results import HOUSE, keep, page, section
from eval.runs.run import QuestionScore, Run, SetIdentity, load_run
from eval.sets.files import SetError

KEPT = sorted((HOUSE / "runs").glob("*.json"))
SCORES = {"R@1": 1.0, "R@5": 1.0, "MRR@10": 0.123456, "nDCG@10": 0.5}
RUN = Run(
    command="retrieval",
    arguments="--data DATA/small",
    commit="abc",
    created_at="2026-01-01T00:00:00+00:00",
    set=SetIdentity(name="small", split="dev", digest="d", searched=3, unit="passages"),
    settings={"embed_model": "characters", "rrf_k": 10, "candidates": 20, "rewrite": "none"},
    rows=["keyword"],
    questions=[
        QuestionScore(
            query_id=name,
            question="住宿每晚多少？",
            kind="natural",
            scores={"keyword": SCORES},
            rankings={"keyword": ["travel"]},
            milliseconds={"keyword": 1.234},
        )
        for name in ("q1", "q2")
    ],
)


def test_a_run_is_kept_without_texts(tmp_path: Path) -> None:
    keep(RUN, tmp_path / "run.json")
    text = (tmp_path / "run.json").read_text(encoding="utf-8")
    assert "住宿" not in text
    assert "travel" not in text
    kept = load_run(tmp_path / "run.json")
    assert kept == RUN.bare()
    assert kept.questions[0].scores["keyword"]["MRR@10"] == 0.1235


def test_each_table_has_its_command_its_commit_and_the_settings_that_are_not_as_they_come() -> None:
    lines = section("retrieval-small", RUN).splitlines()
    assert lines[:5] == [
        "### retrieval-small",
        "",
        "    folio eval retrieval --data DATA/small",
        "",
        "Commit `abc`; 2026-01-01; embed_model `characters`; rrf_k `10`.",
    ]
    assert "| keyword | 1.000 | 1.000 |  0.123 |   0.500 |          1.2 |" in lines
    assert any(line.startswith("| 95 % interval") for line in lines)


def test_the_page_holds_every_run_and_the_tables_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    RUN.save(tmp_path / "run.json")
    (tmp_path / "runs" / "ablation.md").write_text("# Ablation\n\nCommit: abc\n\n## Votes\n\n| a |\n", encoding="utf-8")
    arguments = ["results", tmp_path / "run.json", "--folder", tmp_path / "runs", "--output", tmp_path / "page.md"]
    result = CliRunner().invoke(cli.app, list(map(str, arguments)), catch_exceptions=False)
    assert result.exit_code == 0
    text = (tmp_path / "page.md").read_text(encoding="utf-8")
    headings = [line for line in text.splitlines() if line.startswith("#")]
    assert headings == ["# Results", "## Retrieval", "### run", "## Ablation", "### Votes"]
    assert "Made at `abc`." in text
    with pytest.raises(SetError, match=r"notes\.md: not a table for RESULTS\.md"):
        page({}, {"notes.md": "# Notes"})


def test_the_page_is_that_of_the_runs_beside_the_code() -> None:
    if not KEPT:
        pytest.skip("no runs lie beside the code yet")
    tables = {path.name: path.read_text(encoding="utf-8") for path in sorted((HOUSE / "runs").glob("*.md"))}
    assert (HOUSE / "RESULTS.md").read_text(encoding="utf-8") == page({p.stem: load_run(p) for p in KEPT}, tables)
    assert sum(path.stat().st_size for path in KEPT) < 2_000_000
