"""One `eval sweep` from settings to tables: chosen on one set, confirmed on another."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from eval.bootstrap import paired_difference
from eval.index import indexed
from eval.progress import progress
from eval.report import Cell, markdown_table, scores_of
from eval.resume import resumed
from eval.runs import QuestionScore, Run, code_commit, describe, identify, now, recorded
from eval.sets import EvalSet
from eval.sweep import CANDIDATES, TOP_NS, FusionSetting, best_first, grid, recall_one, score_setting
from eval.vector_cache import CachedEmbedder, vector_cache
from preprocessing.errors import FolioError
from retrieval.embed import open_embedder
from retrieval.embed.base import Embedder
from retrieval.settings import RetrievalSettings

SHOWN = 8


@dataclass(frozen=True, slots=True)
class Swept:
    """One set under every setting."""

    name: str
    """Set and split."""
    run: Run
    metric: str

    def scores(self, setting: FusionSetting, metric: str | None = None) -> list[float]:
        """Return the scores of the questions under the setting."""
        return scores_of(self.run.questions, setting.name, metric or self.metric)


def run_sweep(
    chosen_on: EvalSet,
    confirmed_on: EvalSet,
    settings: RetrievalSettings,
    metric: str,
    *,
    keep: Path | None = None,
    resume: Path | None = None,
    embedder: Embedder | None = None,
) -> str:
    """Return the tables of a sweep; the reranker has no part in it.

    `keep` is where the run on the first set is written, and beside it, with `-confirm` in its name, that on the other;
    `resume` is such a pair to go on with.
    """
    in_force = FusionSetting(settings.vector_weight, settings.keyword_weight, settings.rrf_k, settings.candidates)
    tried = grid(in_force)
    chosen = _swept(chosen_on, settings, tried, metric, keep, resume, embedder)
    keep, resume = _confirming(keep), _confirming(resume)
    if resume and not resume.is_file():
        resume = None
    confirmed = _swept(confirmed_on, settings, tried, metric, keep, resume, embedder)
    order = best_first({setting: chosen.scores(setting) for setting in tried})
    title = f"{metric} of {len(tried)} settings, chosen on {chosen.name}, confirmed on {confirmed.name}"
    parts = [title, _settings_table(chosen, confirmed, order, in_force), _top_n_table(chosen, confirmed, order[0])]
    parts += [_against(one, order[0], in_force) for one in (chosen, confirmed)]
    return "\n\n".join(parts)


def _swept(
    eval_set: EvalSet,
    settings: RetrievalSettings,
    tried: Sequence[FusionSetting],
    metric: str,
    keep: Path | None,
    resume: Path | None,
    embedder: Embedder | None,
) -> Swept:
    name, by_passage = f"{eval_set.name}/{eval_set.split}", eval_set.documents is None
    deepest = max(*CANDIDATES, settings.candidates)
    with progress() as steps, vector_cache(settings.home / "eval" / "vectors.sqlite3") as cache:
        model = embedder or open_embedder(settings)
        cached = CachedEmbedder(model, cache, steps.bar(f"{eval_set.name}: embedding passages"))
        with indexed(eval_set, settings, cached) as engine:
            run = Run(
                command="sweep",
                commit=code_commit(),
                created_at=now(),
                set=identify(eval_set, searched=engine.store.count()),
                settings={**describe(settings, cached.model_id), "metric": metric},
                rows=[setting.name for setting in tried],
                questions=[],
            )
            run = resumed(run, resume)
            done = {question.query_id for question in run.questions}
            left = [query for query in eval_set.scored if query.query_id not in done]
            trying = steps.bar(f"{eval_set.name}: trying settings")
            with recorded(run, keep) as questions:
                for query in left:
                    one = recall_one(query, engine, deepest)
                    scores = {setting.name: score_setting(one, setting, by_passage=by_passage) for setting in tried}
                    questions.append(
                        QuestionScore(query_id=query.query_id, question=query.text, kind=query.kind, scores=scores)
                    )
                    trying(len(questions), len(eval_set.scored))
    swept = Swept(name, run.model_copy(update={"questions": questions}), metric)
    if not swept.scores(tried[0]):
        raise FolioError(f"{name}: no question has a score for {metric}")
    return swept


def _confirming(path: Path | None) -> Path | None:
    return path.with_name(f"{path.stem}-confirm{path.suffix}") if path else None


def _settings_table(chosen: Swept, confirmed: Swept, order: Sequence[FusionSetting], in_force: FusionSetting) -> str:
    shown = list(dict.fromkeys([*order[:SHOWN], in_force]))
    lines: list[list[Cell]] = [
        [
            "in force" if setting == in_force else str(order.index(setting) + 1),
            f"{setting.vector_weight:g}",
            f"{setting.keyword_weight:g}",
            str(setting.rrf_k),
            str(setting.candidates),
            fmean(chosen.scores(setting)),
            fmean(confirmed.scores(setting)),
        ]
        for setting in shown
    ]
    header = ["place", "vector weight", "keyword weight", "rrf k", "candidates", chosen.name, confirmed.name]
    return markdown_table(header, lines)


def _top_n_table(chosen: Swept, confirmed: Swept, best: FusionSetting) -> str:
    lines: list[list[Cell]] = [
        [f"R@{n}", *(fmean(one.scores(best, f"R@{n}")) for one in (chosen, confirmed))] for n in TOP_NS
    ]
    return markdown_table(["top n of the first", chosen.name, confirmed.name], lines)


def _against(swept: Swept, best: FusionSetting, in_force: FusionSetting) -> str:
    difference = paired_difference(swept.scores(in_force), swept.scores(best))
    sure = "significant" if difference.significant else "not significant"
    return (
        f"The first against the one in force on {swept.name}: {difference.mean:+.3f} "
        f"({difference.low:+.3f} to {difference.high:+.3f}, p = {difference.p:.3f}, {sure})"
    )
