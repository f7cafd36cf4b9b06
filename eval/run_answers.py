"""One `eval answers` from settings to run: ingest the documents, then ask the whole agent."""

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from agent.assistant import Assistant
from agent.memory import SessionStore
from agent.settings import Settings
from eval.index import ingested
from eval.progress import progress
from eval.resume import resumed
from eval.runs import Run, code_commit, describe, identify, now, recorded
from eval.score_answers import ROW, score_answers
from eval.sets import EvalSet
from eval.vector_cache import CachedEmbedder, vector_cache
from preprocessing.errors import FolioError
from retrieval.embed import open_embedder
from retrieval.embed.base import Embedder


def run_answers(
    eval_set: EvalSet,
    settings: Settings,
    *,
    limit: int | None = None,
    keep: Path | None = None,
    resume: Path | None = None,
    embedder: Embedder | None = None,
) -> Run:
    """Ask the first `limit` questions of a set with whole documents, each in a session of its own.

    `keep` is where the run is written, also when it stops half way; `resume` is such a run to go on with.
    Raises FolioError when the set has passages only: the agent cites documents.
    """
    if eval_set.documents is None:
        raise FolioError(f"{eval_set.name}/{eval_set.split}: the agent needs whole documents in docs/")
    queries = eval_set.queries[:limit]
    with ExitStack() as stack:
        steps = stack.enter_context(progress())
        cached = CachedEmbedder(
            embedder or open_embedder(settings.embed_model),
            stack.enter_context(vector_cache(settings.home / "eval" / "vectors.sqlite3")),
            steps.bar("embedding passages"),
        )
        home = stack.enter_context(TemporaryDirectory(prefix="folio-eval-", ignore_cleanup_errors=True))
        own = settings.model_copy(update={"home": Path(home), "qdrant_url": None})
        knowledge_base = stack.enter_context(ingested(eval_set.documents, own, cached))
        assistant = Assistant(own, knowledge_base, None, SessionStore.in_memory())
        stack.callback(assistant.sessions.close)
        store = knowledge_base.engine.store
        run = Run(
            command="answers",
            commit=code_commit(),
            created_at=now(),
            set=identify(eval_set, searched=store.count()),
            settings={**describe(settings, cached.model_id), "chat_model": settings.chat_model_name},
            rows=[ROW],
            questions=[],
        )
        asking = steps.bar("asking")
        run = resumed(run, resume)
        done = {question.query_id for question in run.questions}
        left = [query for query in queries if query.query_id not in done]
        with recorded(run, keep) as questions:
            for score in score_answers(left, assistant, store.get):
                questions.append(score)
                asking(len(questions), len(queries))
        return run.model_copy(update={"questions": questions})
