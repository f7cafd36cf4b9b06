"""The story of `eval retrieval`: search every question by each row's stages, judge the hits, score them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import fmean
from typing import Annotated, Literal

import typer

from agent.rewrite import RewriteByRules
from agent.sessions.turn import as_turns
from agent.settings import load_settings
from eval.metrics.answers import rewrite_f1
from eval.metrics.gold import judge_chunks, judge_passages
from eval.metrics.rank import Grades, mrr, ndcg, recall
from eval.options import (
    DataOption,
    DocumentsOption,
    JsonOption,
    LimitOption,
    RunsOption,
    SplitOption,
)
from eval.runs.run import QuestionScore, Run, describe, identify, kept_at, new_run, progress, recorded
from eval.runs.tables import Cell, markdown_table, mean_score, of_set, scores_of, spread
from eval.sets.files import Query
from eval.sets.index import indexed
from eval.sets.load import EvalSet, load_set
from eval.sets.vector_cache import CachedEmbedder, vector_cache
from eval.tasks.stages import RERANKED, STAGES, Row, search_by_stages
from preprocessing.errors import FolioError
from retrieval.embed import open_embedder
from retrieval.embed.embedder import Embedder
from retrieval.rerank.rerank import Reranker, open_reranker
from retrieval.search import Engine
from retrieval.settings import RetrievalSettings

Rewrite = Literal["none", "gold", "rules"]
"""What is searched for a follow-up: the question as it is, its gold rewrite, or what our rules make of it."""
Rewriter = Callable[[Query], str]
COLUMNS = ("R@1", "R@5", "MRR@10", "nDCG@10")
"""Metrics of the table."""


def retrieval(
    data: DataOption,
    split: SplitOption = "dev",
    corpus: Annotated[
        list[Path] | None,
        typer.Option(help="Folder whose corpus.jsonl is searched instead of the set's own; may be repeated."),
    ] = None,
    whole_documents: DocumentsOption = False,
    questions: Annotated[
        str, typer.Option(help="File of the split with the questions, where there is more than one.")
    ] = "queries.jsonl",
    rewrite: Annotated[
        Rewrite, typer.Option(help="How a follow-up is searched: as its gold rewrite, by our rules, or as it is.")
    ] = "none",
    limit: LimitOption = None,
    json: JsonOption = None,
    runs: RunsOption = None,
) -> None:
    """Compare vector, keyword, hybrid and reranked retrieval on one set."""
    eval_set = load_set(data, split, questions=questions, corpora=corpus or (), whole_documents=whole_documents)
    settings = load_settings()
    rows = [row for row in STAGES if row != RERANKED or settings.rerank != "none"]
    keep = kept_at(settings, "retrieval", f"{eval_set.name}-{split}", json, runs)
    run = run_retrieval(eval_set, settings, rows, rewrite=rewrite, limit=limit, keep=keep)
    typer.echo(retrieval_table(run))
    typer.echo(f"run: {keep}", err=True)


def run_retrieval(
    eval_set: EvalSet,
    settings: RetrievalSettings,
    rows: Sequence[Row],
    *,
    rewrite: Rewrite = "none",
    limit: int | None = None,
    keep: Path | None = None,
    embedder: Embedder | None = None,
    reranker: Reranker | None = None,
) -> Run:
    """Score the rows on the first `limit` questions that have gold.

    `keep` is where the run is written, also when it stops half way: then with the reason and what was scored;
    Vectors of passages are kept in `settings.home`/eval. Raises FolioError when
    no question has gold.
    """
    queries = eval_set.scored[:limit]
    if not queries:
        raise FolioError(f"{eval_set.name}/{eval_set.split}: no question has gold, so there is nothing to score")
    embedder = embedder or open_embedder(settings)
    if RERANKED in rows and reranker is None:
        reranker = open_reranker(settings, embedder)
    with ExitStack() as stack:
        steps = stack.enter_context(progress())
        cached = CachedEmbedder(
            embedder,
            stack.enter_context(vector_cache(settings.home / "eval" / "vectors.sqlite3")),
            steps.bar("embedding passages"),
        )
        engine = stack.enter_context(indexed(eval_set, settings, cached, reranker))
        run = new_run(
            "retrieval",
            {**describe(settings, cached.model_id), "rewrite": rewrite},
            rows,
            identify(eval_set, searched=engine.store.count()),
        )
        searching = steps.bar("searching")
        with recorded(run, keep) as questions:
            for score in score_retrieval(eval_set, engine, rows, queries, rewrite):
                questions.append(score)
                searching(len(questions), len(queries))
        return run.model_copy(update={"questions": questions})


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


def score_ranking(ranking: Sequence[str], grades: Grades, ks: Sequence[int] = (1, 5, 10)) -> dict[str, float]:
    """Return every rank metric that applies, by name; recall at each of `ks`."""
    scores = {
        **{f"R@{k}": recall(ranking, grades, k) for k in ks},
        "MRR@10": mrr(ranking, grades),
        "nDCG@10": ndcg(ranking, grades),
    }
    return {name: score for name, score in scores.items() if score is not None}


def rewriter(how: Rewrite) -> Rewriter:
    """Return what gives the text to search; a question without a conversation, or without a gold rewrite, stays."""

    def by_rules(query: Query) -> str:
        turns = as_turns([{"role": role, "text": text} for role, text in query.history])
        return RewriteByRules().stand_alone(query.text, turns) if turns else query.text

    ways: dict[Rewrite, Rewriter] = {
        "none": lambda query: query.text,
        "gold": lambda query: query.gold_rewrite or query.text,
        "rules": by_rules,
    }
    return ways[how]


def retrieval_table(run: Run) -> str:
    """Return the ablation table of a run: one line a row, the mean of each metric, and the time of a question."""
    lines = [
        [row, *(mean_score(run.questions, row, metric) for metric in COLUMNS), f"{mean_milliseconds(run, row):.1f}"]
        for row in run.rows
    ]
    title = f"{of_set(run)}, embedding model {run.settings['embed_model']}{_rewriting(run)}"
    return f"{title}\n\n{markdown_table(['', *COLUMNS, 'ms per query'], lines)}"


def _rewriting(run: Run) -> str:
    how = run.settings.get("rewrite", "none")
    scores = scores_of(run.questions, run.rows[0], "rewrite F1")
    if how == "none":
        return ""
    return f", follow-ups rewritten: {how}" + (f" (token F1 {fmean(scores):.3f}, n = {len(scores)})" if scores else "")


def interval_table(run: Run) -> str:
    """Return the bootstrap interval of each mean, one line a row."""
    lines: list[list[Cell]] = []
    for row in run.rows:
        scores = [scores_of(run.questions, row, metric) for metric in COLUMNS]
        lines.append([row, *map(spread, scores)])
    return markdown_table(["95 % interval", *COLUMNS], lines)


def mean_milliseconds(run: Run, row: str) -> float:
    """Return the mean time of a question in the stages of the row."""
    stages = next(stages for name, stages in STAGES.items() if name == row)
    return fmean(sum(question.milliseconds[stage] for stage in stages) for question in run.questions)
