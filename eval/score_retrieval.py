"""The story of `eval retrieval`: search every question by each row's stages, judge the hits, score them."""

from collections.abc import Iterable, Iterator, Sequence

from eval import metrics
from eval.answer_metrics import rewrite_f1
from eval.judge import judge_chunks, judge_passages
from eval.query import Query
from eval.rewriting import Rewrite, rewriter
from eval.runs import QuestionScore
from eval.sets import EvalSet
from eval.stages import Row, search_by_stages
from retrieval.search import Engine

COLUMNS = ("R@1", "R@5", "MRR@10", "nDCG@10")
"""Metrics of the table."""


def score_retrieval(
    eval_set: EvalSet, engine: Engine, rows: Sequence[Row], queries: Iterable[Query], rewrite: Rewrite = "none"
) -> Iterator[QuestionScore]:
    """Yield the scores of one question after the other, so that what was scored is kept when a later one fails.

    A rewritten follow-up has its token F1 to the gold rewrite among the scores of each row.
    """
    as_searched = rewriter(rewrite)
    judge = judge_passages if eval_set.documents is None else judge_chunks
    engine.embedder.embed_query("warm up")
    for query in queries:
        searched = as_searched(query)
        done = search_by_stages(searched, engine)
        rewritten = rewrite_f1(searched, query) if rewrite != "none" and query.history else None
        extra = {} if rewritten is None else {"rewrite F1": rewritten}
        judged = {row: judge(query, done.rankings[row]) for row in rows}
        yield QuestionScore(
            query_id=query.query_id,
            question=query.text,
            kind=query.kind,
            scores={row: score_ranking(*judgement) | extra for row, judgement in judged.items()},
            rankings={row: ranking for row, (ranking, _) in judged.items()},
            milliseconds=dict(done.milliseconds),
        )


def score_ranking(
    ranking: Sequence[str], grades: metrics.Grades, ks: Sequence[int] = (1, 3, 5, 10, 20)
) -> dict[str, float]:
    """Return every rank metric that applies, by name; recall at each of `ks`."""
    scores = {
        **{f"R@{k}": metrics.recall(ranking, grades, k) for k in ks},
        "hit@5": metrics.hit(ranking, grades, 5),
        "all gold@5": metrics.all_gold(ranking, grades, 5),
        "MRR@10": metrics.mrr(ranking, grades),
        "nDCG@10": metrics.ndcg(ranking, grades),
    }
    return {name: score for name, score in scores.items() if score is not None}
