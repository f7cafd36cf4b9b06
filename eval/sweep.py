"""Settings of fusion, tried on one set and confirmed on another; each question is searched once, the rest is sums."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean

from eval.judge import judge_chunks, judge_passages
from eval.query import Query
from eval.score_retrieval import score_ranking
from eval.stages import WHOLE_CORPUS
from retrieval.fusion import fuse
from retrieval.hit import Hit, Leg
from retrieval.search import Engine, recall
from retrieval.voting import votes

KEYWORD_WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0)
"""Beside a vector weight of 1, because only the ratio matters."""
RRF_KS = (10, 30, 60, 100)
CANDIDATES = (10, 20, 50)
TOP_NS = (1, 3, 5, 8, 10)


@dataclass(frozen=True, slots=True)
class FusionSetting:
    """What the sweep varies."""

    vector_weight: float
    keyword_weight: float
    rrf_k: int
    candidates: int

    @property
    def name(self) -> str:
        """Return the setting as a row of a run."""
        weights = f"vector {self.vector_weight:g}, keyword {self.keyword_weight:g}"
        return f"{weights}, rrf k {self.rrf_k}, candidates {self.candidates}"


@dataclass(frozen=True, slots=True)
class Recalled:
    """The candidates of both legs for one question."""

    query: Query
    legs: Mapping[Leg, Sequence[Hit]]


def grid(in_force: FusionSetting) -> list[FusionSetting]:
    """Return every setting to try, the one in force first."""
    tried = [FusionSetting(*values) for values in product((1.0,), KEYWORD_WEIGHTS, RRF_KS, CANDIDATES)]
    return [in_force, *(setting for setting in tried if setting != in_force)]


def recall_one(query: Query, engine: Engine, candidates: int) -> Recalled:
    """Ask both legs one question."""
    return Recalled(query, recall(query.text, engine, WHOLE_CORPUS, mode="hybrid", candidates=candidates))


def score_setting(one: Recalled, setting: FusionSetting, *, by_passage: bool) -> dict[str, float]:
    """Return every rank metric of the question under the setting."""
    judge = judge_passages if by_passage else judge_chunks
    return score_ranking(*judge(one.query, fused(one, setting)), TOP_NS)


def fused(one: Recalled, setting: FusionSetting) -> list[Hit]:
    """Return the candidates of the setting, fused as `retrieval.search.search` does."""
    cut = {leg: hits[: setting.candidates] for leg, hits in one.legs.items()}
    weights: dict[Leg, float] = {"vector": setting.vector_weight, "keyword": setting.keyword_weight}
    return fuse(cut, votes(one.query.text, cut, weights), setting.rrf_k)[: setting.candidates]


def best_first(scores: Mapping[FusionSetting, Sequence[float]]) -> list[FusionSetting]:
    """Return the settings by falling mean score; of equal ones the one tried first comes first."""
    return sorted(scores, key=lambda setting: -fmean(scores[setting]))
