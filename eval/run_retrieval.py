"""One `eval retrieval` from settings to run."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from eval.index import indexed
from eval.progress import progress
from eval.resume import resumed
from eval.rewriting import Rewrite
from eval.runs import Run, code_commit, describe, identify, now, recorded
from eval.score_retrieval import score_retrieval
from eval.sets import EvalSet
from eval.stages import RERANKED, Row
from eval.vector_cache import CachedEmbedder, vector_cache
from preprocessing.errors import FolioError
from retrieval.embed import open_embedder
from retrieval.embed.base import Embedder
from retrieval.rerank import Reranker
from retrieval.rerank_choice import open_reranker
from retrieval.settings import RetrievalSettings


def run_retrieval(
    eval_set: EvalSet,
    settings: RetrievalSettings,
    rows: Sequence[Row],
    *,
    rewrite: Rewrite = "none",
    limit: int | None = None,
    keep: Path | None = None,
    resume: Path | None = None,
    embedder: Embedder | None = None,
    reranker: Reranker | None = None,
) -> Run:
    """Score the rows on the first `limit` questions that have gold.

    `keep` is where the run is written, also when it stops half way: then with the reason and what was scored;
    `resume` is such a run to go on with. Vectors of passages are kept in `settings.home`/eval. Raises FolioError when
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
        run = Run(
            command="retrieval",
            commit=code_commit(),
            created_at=now(),
            set=identify(eval_set, searched=engine.store.count()),
            settings={**describe(settings, cached.model_id), "rewrite": rewrite},
            rows=list(rows),
            questions=[],
        )
        searching = steps.bar("searching")
        run = resumed(run, resume)
        done = {question.query_id for question in run.questions}
        left = [query for query in queries if query.query_id not in done]
        with recorded(run, keep) as questions:
            for score in score_retrieval(eval_set, engine, rows, left, rewrite):
                questions.append(score)
                searching(len(questions), len(queries))
        return run.model_copy(update={"questions": questions})
