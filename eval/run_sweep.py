"""One `eval sweep` from settings to tables: chosen on one set, confirmed on another."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from eval.bootstrap import paired_difference
from eval.index import indexed
from eval.progress import progress
from eval.report import Cell, markdown_table
from eval.sets import EvalSet
from eval.sweep import CANDIDATES, TOP_NS, FusionSetting, Recalled, best_first, grid, recall_all, score_setting
from eval.vector_cache import CachedEmbedder, vector_cache
from preprocessing.errors import FolioError
from retrieval.embed import open_embedder
from retrieval.embed.base import Embedder
from retrieval.settings import RetrievalSettings

SHOWN = 8


@dataclass(frozen=True, slots=True)
class Swept:
    """One set under every setting."""

    eval_set: EvalSet
    recalled: list[Recalled]
    scores: dict[FusionSetting, list[float]]

    @property
    def name(self) -> str:
        """Return set and split."""
        return f"{self.eval_set.name}/{self.eval_set.split}"


def run_sweep(
    chosen_on: EvalSet,
    confirmed_on: EvalSet,
    settings: RetrievalSettings,
    metric: str,
    *,
    embedder: Embedder | None = None,
) -> str:
    """Return the tables of a sweep; the reranker has no part in it."""
    in_force = FusionSetting(settings.vector_weight, settings.keyword_weight, settings.rrf_k, settings.candidates)
    tried = grid(in_force)
    chosen, confirmed = (_swept(one, settings, tried, metric, embedder) for one in (chosen_on, confirmed_on))
    order = best_first(chosen.scores)
    title = f"{metric} of {len(tried)} settings, chosen on {chosen.name}, confirmed on {confirmed.name}"
    parts = [title, _settings_table(chosen, confirmed, order, in_force), _top_n_table(chosen, confirmed, order[0])]
    parts += [_against(one, order[0], in_force) for one in (chosen, confirmed)]
    return "\n\n".join(parts)


def _swept(
    eval_set: EvalSet,
    settings: RetrievalSettings,
    tried: Sequence[FusionSetting],
    metric: str,
    embedder: Embedder | None,
) -> Swept:
    with progress() as steps, vector_cache(settings.home / "eval" / "vectors.sqlite3") as cache:
        model = embedder or open_embedder(settings.embed_model)
        cached = CachedEmbedder(model, cache, steps.bar(f"{eval_set.name}: embedding passages"))
        with indexed(eval_set, settings, cached) as engine:
            recalled = recall_all(eval_set, engine, max(*CANDIDATES, settings.candidates))
    scores = {setting: score_setting(eval_set, recalled, setting, metric) for setting in tried}
    if not all(scores.values()):
        raise FolioError(f"{eval_set.name}/{eval_set.split}: no question has a score for {metric}")
    return Swept(eval_set, recalled, scores)


def _settings_table(chosen: Swept, confirmed: Swept, order: Sequence[FusionSetting], in_force: FusionSetting) -> str:
    shown = list(dict.fromkeys([*order[:SHOWN], in_force]))
    lines: list[list[Cell]] = [
        [
            "in force" if setting == in_force else str(order.index(setting) + 1),
            f"{setting.vector_weight:g}",
            f"{setting.keyword_weight:g}",
            str(setting.rrf_k),
            str(setting.candidates),
            fmean(chosen.scores[setting]),
            fmean(confirmed.scores[setting]),
        ]
        for setting in shown
    ]
    header = ["place", "vector weight", "keyword weight", "rrf k", "candidates", chosen.name, confirmed.name]
    return markdown_table(header, lines)


def _top_n_table(chosen: Swept, confirmed: Swept, best: FusionSetting) -> str:
    lines: list[list[Cell]] = [
        [f"R@{n}", *(fmean(score_setting(one.eval_set, one.recalled, best, f"R@{n}")) for one in (chosen, confirmed))]
        for n in TOP_NS
    ]
    return markdown_table(["top n of the first", chosen.name, confirmed.name], lines)


def _against(swept: Swept, best: FusionSetting, in_force: FusionSetting) -> str:
    difference = paired_difference(swept.scores[in_force], swept.scores[best])
    sure = "significant" if difference.significant else "not significant"
    return (
        f"The first against the one in force on {swept.name}: {difference.mean:+.3f} "
        f"({difference.low:+.3f} to {difference.high:+.3f}, p = {difference.p:.3f}, {sure})"
    )
