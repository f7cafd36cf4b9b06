from collections.abc import Callable
from pathlib import Path

import pytest

from eval.runs.run import load_run
from eval.sets.load import load_set
from eval.tasks.chunking import fixed, run_chunking, within_budget
from preprocessing.errors import FolioError
from retrieval.embed.embedder import Vectors
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


def test_a_run_that_stopped_goes_on_where_it_was(make_set: Make, docs: dict[str, str], tmp_path: Path) -> None:
    asked: list[str] = []

    class Stops(CharacterEmbedder):
        stops = True

        def embed_query(self, text: str) -> Vectors:
            asked.append(text)
            if self.stops and text.startswith("How many"):
                raise RuntimeError("out of memory")
            return super().embed_query(text)

    eval_set = load_set(make_set(docs=docs), whole_documents=True)
    settings, path, embedder = RetrievalSettings(home=tmp_path), tmp_path / "run.json", Stops()
    compared = {"fixed 1000": fixed(1000), "fixed 10": fixed(10)}
    with pytest.raises(RuntimeError, match="out of memory"):
        run_chunking(eval_set, settings, compared, budget=200, keep=path, embedder=embedder)
    stopped = load_run(path)
    assert [(one.query_id, list(one.scores)) for one in stopped.questions] == [("q1", ["fixed 1000", "fixed 10"])]


def test_passages_alone_cannot_be_chunked(make_set: Make, tmp_path: Path) -> None:
    with pytest.raises(FolioError, match="chunking needs whole documents"):
        run_chunking(load_set(make_set()), RetrievalSettings(home=tmp_path), {}, budget=1)
