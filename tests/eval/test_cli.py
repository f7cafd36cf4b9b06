"""The command line from arguments to what a person sees."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

import retrieval.embed
from eval import cli
from retrieval.embed.embedder import Vectors
from tests.fakes import CharacterEmbedder

Make = Callable[..., Path]


@pytest.fixture(autouse=True)
def _predictable_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrieval.embed, "open_embedder", lambda model: CharacterEmbedder())
    monkeypatch.setattr("eval.tasks.retrieval.open_embedder", lambda model: CharacterEmbedder())


def run(*arguments: object) -> str:
    result = CliRunner().invoke(cli.app, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_retrieval_prints_one_table_and_writes_the_run(make_set: Make, tmp_path: Path) -> None:
    printed = run("retrieval", "--data", make_set(), "--json", tmp_path / "run.json").splitlines()
    assert printed[0] == "small/dev: 2 questions, 3 passages, embedding model characters"
    assert [line.split("|")[1].strip() for line in printed if line.startswith("|")] == [
        "",
        "-------",
        "vector",
        "keyword",
        "hybrid",
    ]
    written = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    assert (written["problem"], written["rows"]) == (None, ["vector", "keyword", "hybrid"])
    assert [question["query_id"] for question in written["questions"]] == ["q1", "q2"]
    assert (tmp_path / ".folio" / "eval" / "vectors.sqlite3").is_file()


def test_what_was_scored_is_kept_when_the_model_fails(
    make_set: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Fails(CharacterEmbedder):
        def embed_query(self, text: str) -> Vectors:
            if text.startswith("How many"):
                raise RuntimeError("out of memory")
            return super().embed_query(text)

    monkeypatch.setattr("eval.tasks.retrieval.open_embedder", lambda model: Fails())
    with pytest.raises(RuntimeError, match="out of memory"):
        run("retrieval", "--data", make_set(), "--json", tmp_path / "run.json")
    written = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    assert written["problem"] == "RuntimeError: out of memory"
    assert [question["query_id"] for question in written["questions"]] == ["q1"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--data", "nowhere"], "error: nowhere: no such folder"),
        (["--data", "small", "--split", "test"], "error: small/test/queries.jsonl: no such file"),
    ],
)
def test_what_a_person_can_mend_is_one_line_and_exit_2(
    make_set: Make,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: Sequence[str],
    message: str,
) -> None:
    make_set()
    monkeypatch.setattr("sys.argv", ["eval", "retrieval", *arguments])
    with pytest.raises(SystemExit) as caught:
        cli.run()
    assert caught.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith(message)
    assert error.count("\n") == 1


def test_runs_are_kept_in_the_folder_of_folio_unless_another_is_named(make_set: Make, tmp_path: Path) -> None:
    folder = make_set()
    run("retrieval", "--data", folder)
    run("retrieval", "--data", folder, "--runs", tmp_path / "mine")
    (kept,) = (tmp_path / ".folio" / "eval" / "runs").iterdir()
    (mine,) = (tmp_path / "mine").iterdir()
    for path in (kept, mine):
        assert "-retrieval-small-dev-" in path.name
        assert json.loads(path.read_text(encoding="utf-8"))["command"] == "retrieval"
