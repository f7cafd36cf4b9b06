"""One `eval answers` from settings to run: ingest the documents, then ask the whole agent."""

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from agent.assistant import Assistant
from agent.memory import SessionStore
from agent.settings import Settings
from eval.answer_trace import read_answer_trace
from eval.index import ingested, passages_ingested
from eval.judge_answer import judge_by
from eval.progress import progress
from eval.resume import resumed
from eval.runs import Run, code_commit, describe, identify, now, recorded
from eval.score_answers import ROW, score_answers
from eval.sets import EvalSet
from eval.vector_cache import CachedEmbedder, vector_cache
from retrieval.embed import open_embedder
from retrieval.embed.base import Embedder

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


def run_answers(
    eval_set: EvalSet,
    settings: Settings,
    *,
    limit: int | None = None,
    keep: Path | None = None,
    resume: Path | None = None,
    model: "BaseChatModel | None" = None,
    judge: "BaseChatModel | None" = None,
    judged_by: str | None = None,
    embedder: Embedder | None = None,
) -> Run:
    """Ask the first `limit` questions of the set, each in a session of its own with its conversation before it.

    `keep` is where the run is written, also when it stops half way; `resume` is such a run to go on with. The
    model is that of the settings, unless one is given. `judge`
    grades the answers as well, under the name `judged_by`.
    """
    queries = eval_set.queries[:limit]
    with ExitStack() as stack:
        steps = stack.enter_context(progress())
        cached = CachedEmbedder(
            embedder or open_embedder(settings),
            stack.enter_context(vector_cache(settings.home / "eval" / "vectors.sqlite3")),
            steps.bar("embedding passages"),
        )
        home = stack.enter_context(TemporaryDirectory(prefix="folio-eval-", ignore_cleanup_errors=True))
        own = settings.model_copy(update={"home": Path(home), "qdrant_url": None, "database_url": None})
        knowledge_base = stack.enter_context(
            passages_ingested(eval_set.passages, own, cached)
            if eval_set.documents is None
            else ingested(eval_set.documents, own, cached)
        )
        assistant = Assistant(own, knowledge_base, model, SessionStore.in_memory())
        stack.callback(assistant.sessions.close)
        store = knowledge_base.engine.store
        run = Run(
            command="answers",
            commit=code_commit(),
            created_at=now(),
            set=identify(eval_set, searched=store.count()),
            settings={
                **describe(settings, cached.model_id),
                "chat_model": settings.chat_model_name,
                "judge": judged_by if judge else None,
            },
            rows=[ROW],
            questions=[],
        )
        asking = steps.bar("asking")
        run = resumed(run, resume)
        done = {question.query_id for question in run.questions}
        left = [query for query in queries if query.query_id not in done]
        scores = score_answers(
            left,
            assistant,
            store.get,
            trace_of=lambda trace_id: read_answer_trace(assistant.traces.read(trace_id)),
            judge=judge_by(judge) if judge else None,
        )
        with recorded(run, keep) as questions:
            for score in scores:
                questions.append(score)
                asking(len(questions), len(queries))
        return run.model_copy(update={"questions": questions})
