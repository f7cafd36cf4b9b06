from collections.abc import Callable
from pathlib import Path

import pytest

from eval.index import indexed
from eval.report import sweep_table
from eval.run_sweep import run_sweep
from eval.runs import load_run
from eval.sets import load_set
from eval.stages import WHOLE_CORPUS
from eval.sweep import CANDIDATES, KEYWORD_WEIGHTS, RRF_KS, FusionSetting, best_first, fused, grid, recall_one
from preprocessing.errors import FolioError
from retrieval.embed.base import Vectors
from retrieval.search import search
from retrieval.settings import RetrievalSettings
from tests.fakes import CharacterEmbedder

Make = Callable[..., Path]


def test_the_grid_begins_with_the_setting_in_force_and_has_it_once() -> None:
    in_force = FusionSetting(1.0, 1.0, 60, 20)
    tried = grid(in_force)
    assert tried[0] == in_force
    assert len(tried) == len(set(tried)) == len(KEYWORD_WEIGHTS) * len(RRF_KS) * len(CANDIDATES)
    assert len(grid(FusionSetting(1.0, 0.9, 60, 20))) == len(tried) + 1


def test_a_setting_ranks_as_search_does_with_it(make_set: Make) -> None:
    eval_set = load_set(make_set())
    settings = RetrievalSettings(keyword_weight=0.25, rrf_k=10, candidates=2)
    with indexed(eval_set, settings, CharacterEmbedder()) as engine:
        for query in eval_set.scored:
            one = recall_one(query, engine, 50)
            ours = fused(one, FusionSetting(1.0, 0.25, 10, 2))
            theirs = search(one.query.text, engine, WHOLE_CORPUS, k=2)
            assert [hit.chunk.chunk_id for hit in ours] == [hit.chunk.chunk_id for hit in theirs]


def test_of_equal_settings_the_one_in_force_wins() -> None:
    first, second, third = (FusionSetting(1.0, weight, 60, 20) for weight in (1.0, 2.0, 0.5))
    assert best_first({first: [0.5], second: [0.5], third: [0.75]}) == [third, first, second]


def test_both_sets_are_printed(make_set: Make, tmp_path: Path) -> None:
    one, other = load_set(make_set("one")), load_set(make_set("other"))
    printed = run_sweep(one, other, RetrievalSettings(home=tmp_path), "MRR@10", embedder=CharacterEmbedder())
    assert printed.startswith("MRR@10 of 84 settings, chosen on one/dev, confirmed on other/dev\n")
    assert "| in force | " in printed
    assert "| R@10 " in printed
    assert "The first against the one in force on other/dev: +" in printed


def test_a_sweep_that_stopped_goes_on_where_it_was(make_set: Make, tmp_path: Path) -> None:
    class Stops(CharacterEmbedder):
        def embed_query(self, text: str) -> Vectors:
            if text.startswith("How many"):
                raise RuntimeError("out of memory")
            return super().embed_query(text)

    class Listens(CharacterEmbedder):
        def embed_query(self, text: str) -> Vectors:
            asked.append(text)
            return super().embed_query(text)

    asked: list[str] = []
    one, other = load_set(make_set("one")), load_set(make_set("other"))
    settings, path = RetrievalSettings(home=tmp_path), tmp_path / "sweep.json"
    with pytest.raises(RuntimeError, match="out of memory"):
        run_sweep(one, other, settings, "MRR@10", keep=path, embedder=Stops())
    assert [question.query_id for question in load_run(path).questions] == ["q1"]
    printed = run_sweep(one, other, settings, "MRR@10", keep=path, resume=path, embedder=Listens())
    assert asked == ["How many days of annual leave?", "每晚住宿标准是多少？", "How many days of annual leave?"]
    assert printed == run_sweep(one, other, settings, "MRR@10", embedder=CharacterEmbedder())
    asked.clear()
    run_sweep(one, other, settings, "MRR@10", keep=path, resume=path, embedder=Listens())
    assert asked == []
    runs = [load_run(path), load_run(tmp_path / "sweep-confirm.json")]
    assert [(run.set.name, len(run.questions), run.problem) for run in runs] == [("one", 2, None), ("other", 2, None)]
    assert "one/dev: 2 questions, the best of 84 settings" in sweep_table(runs[0])


def test_a_metric_without_scores_is_named(make_set: Make, tmp_path: Path) -> None:
    eval_set = load_set(make_set())
    with pytest.raises(FolioError, match="no question has a score for F9"):
        run_sweep(eval_set, eval_set, RetrievalSettings(home=tmp_path), "F9", embedder=CharacterEmbedder())
