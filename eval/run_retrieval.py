"""One `eval retrieval` from settings to run."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from eval.index import indexed
from eval.progress import progress
from eval.runs import QuestionScore, Run, SetIdentity, code_commit, now
from eval.score_retrieval import score_retrieval
from eval.sets import EvalSet
from eval.stages import RERANKED, Row
from eval.vector_cache import CachedEmbedder, vector_cache
from preprocessing.errors import FolioError
from retrieval.embed import open_embedder
from retrieval.embed.base import Embedder
from retrieval.rerank import CrossEncoderReranker, Reranker
from retrieval.settings import RetrievalSettings

SECRET = {"qdrant_api_key", "openai_api_key"}


def run_retrieval(
    eval_set: EvalSet,
    settings: RetrievalSettings,
    rows: Sequence[Row],
    *,
    limit: int | None = None,
    keep: Path | None = None,
    embedder: Embedder | None = None,
    reranker: Reranker | None = None,
) -> Run:
    """Score the rows on the first `limit` questions that have gold.

    `keep` is where the run is written, also when it stops half way: then with the reason and what was scored. Vectors
    of passages are kept in `settings.home`/eval.
    """
    queries = eval_set.scored[:limit]
    if not queries:
        raise FolioError(f"{eval_set.name}/{eval_set.split}: no question has gold, so there is nothing to score")
    if RERANKED in rows and reranker is None and settings.rerank_model:
        reranker = CrossEncoderReranker(settings.rerank_model)
    questions: list[QuestionScore] = []
    with ExitStack() as stack:
        steps = stack.enter_context(progress())
        cache = stack.enter_context(vector_cache(settings.home / "eval" / "vectors.sqlite3"))
        cached = CachedEmbedder(
            embedder or open_embedder(settings.embed_model),
            cache,
            lambda done, total: steps.show("embedding passages", done, total),
        )
        engine = stack.enter_context(indexed(eval_set, settings, cached, reranker))
        run = Run(
            command="retrieval",
            commit=code_commit(),
            created_at=now(),
            set=identify(eval_set, searched=engine.store.count()),
            settings={**settings.model_dump(mode="json", exclude=SECRET), "embed_model": cached.model_id},
            rows=rows,
            questions=[],
        )
        problem: str | None = "interrupted"
        try:
            for score in score_retrieval(eval_set, engine, rows, queries):
                questions.append(score)
                steps.show("searching", len(questions), len(queries))
            problem = None
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
            raise
        finally:
            run = run.model_copy(update={"questions": questions, "problem": problem})
            if keep and questions:
                run.save(keep)
    return run


def identify(eval_set: EvalSet, searched: int) -> SetIdentity:
    """Return which task a run on the set has."""
    return SetIdentity(
        name=eval_set.name,
        split=eval_set.split,
        digest=eval_set.digest(),
        searched=searched,
        unit="passages" if eval_set.documents is None else "chunks",
    )
