"""Learn what search says about whether the answer is there, and measure it on sets that did not teach it.

    python -m eval.answerability --learn DATA/cmrc2018_zh --learn DATA/hotpotqa_en --measure DATA/zh_policy

Each question is searched twice: as it is, and with the passages that answer it taken out.
"""

import argparse
import random
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eval.index import indexed
from eval.query import Query
from eval.rewriting import rewriter
from eval.sets import EvalSet, load_set
from eval.vector_cache import CachedEmbedder, vector_cache
from preprocessing.errors import FolioError
from retrieval.answerability import probability, signals_of
from retrieval.embed import open_embedder
from retrieval.filters import Filter
from retrieval.rerank_choice import open_reranker
from retrieval.search import Engine, gather
from retrieval.settings import RetrievalSettings

Floats = NDArray[np.float64]
_MOST = 150
_SEED = 2
_RIDGE = 1e-3


def searched(eval_set: EvalSet, settings: RetrievalSettings) -> tuple[Floats, Floats, Floats]:
    """Return the signals of the top hit, (questions, signals): answer there, answer taken out, never answerable.

    Of more than 150 questions with an answer 150 are drawn. Where the answer is there but the top hit is another
    passage, the question counts with neither.
    """
    embedder = open_embedder(settings)
    answerable = list(eval_set.scored)
    if len(answerable) > _MOST:
        answerable = random.Random(_SEED).sample(answerable, _MOST)
    as_searched = rewriter("gold")
    with ExitStack() as stack:
        cache = stack.enter_context(vector_cache(settings.home / "eval" / "vectors.sqlite3"))
        reranker = open_reranker(settings, embedder)
        engine = stack.enter_context(indexed(eval_set, settings, CachedEmbedder(embedder, cache), reranker))
        there, without = [], []
        for query in answerable:
            top, signals = _top(engine, as_searched(query), frozenset())
            if top in query.grades:
                there.append(signals)
            without.append(_top(engine, as_searched(query), frozenset(query.grades))[1])
        never = [_top(engine, as_searched(query), frozenset())[1] for query in eval_set.queries if _never(query)]
    return np.array(there), np.array(without), np.array(never, dtype=np.float64).reshape(-1, 4)


def learn(positive: Floats, negative: Floats) -> tuple[Floats, float]:
    """Return weights and bias of the logistic regression, both kinds counting alike, by Newton's method.

    A ridge of 1e-3 keeps the weights finite where the kinds can be told apart without a fault.
    """
    signals = np.vstack([positive, negative])
    with_bias = np.column_stack([signals, np.ones(len(signals))])
    wanted = np.r_[np.ones(len(positive)), np.zeros(len(negative))]
    share = np.r_[np.full(len(positive), 0.5 / len(positive)), np.full(len(negative), 0.5 / len(negative))]
    ridge = _RIDGE * np.diag([1.0] * signals.shape[1] + [0.0])
    weights = np.zeros(with_bias.shape[1])
    for _ in range(50):
        said = 1 / (1 + np.exp(-with_bias @ weights))
        gradient = with_bias.T @ (share * (said - wanted)) + ridge @ weights
        curvature = (with_bias * (share * said * (1 - said))[:, None]).T @ with_bias + ridge
        step = np.linalg.solve(curvature, gradient)
        weights -= step
        if np.abs(step).max() < 1e-9:
            break
    return weights[:-1], float(weights[-1])


def area(positive: Sequence[float], negative: Sequence[float]) -> float:
    """Return how often a positive is above a negative, equal ones half (the area under the ROC curve)."""
    above = np.subtract.outer(np.array(positive), np.array(negative))
    return float(((above > 0) + 0.5 * (above == 0)).mean())


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m eval.answerability", description=__doc__)
    parser.add_argument("--learn", action="append", type=Path, default=[], help="a set that teaches the weights")
    parser.add_argument("--measure", action="append", type=Path, default=[], help="a set that measures them")
    arguments = parser.parse_args()
    settings = RetrievalSettings()
    try:
        if arguments.learn:
            found = [searched(load_set(folder), settings) for folder in arguments.learn]
            weights, bias = learn(np.vstack([one for one, _, _ in found]), np.vstack([one for _, one, _ in found]))
            sys.stdout.write(f"weights {', '.join(f'{weight:.3f}' for weight in weights)}; bias {bias:.3f}\n")
        for folder in arguments.measure:
            there, without, never = (
                [probability(row) for row in rows] for rows in searched(load_set(folder), settings)
            )
            sys.stdout.write(
                f"{folder.name}: answer there {np.mean(there):.3f} ({len(there)}), taken out {np.mean(without):.3f}, "
                f"area {area(there, without):.3f}"
            )
            if never:
                sys.stdout.write(f"; unanswerable {np.mean(never):.3f} ({len(never)}), area {area(there, never):.3f}")
            sys.stdout.write("\n")
    except FolioError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def _top(engine: Engine, question: str, without: frozenset[str]) -> tuple[str, Sequence[float]]:
    hits = gather(question, engine, Filter(), k=engine.candidates + len(without), mode="hybrid").distinct
    left = [hit for hit in hits if hit.chunk.chunk_id not in without][: engine.candidates]
    assert engine.reranker is not None
    ranked = engine.reranker.rerank(question, left)
    return (ranked[0].chunk.chunk_id, signals_of(question, ranked)[0]) if ranked else ("", (0.0,) * 4)


def _never(query: Query) -> bool:
    return not query.answerable


if __name__ == "__main__":
    sys.exit(main())
