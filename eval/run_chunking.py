"""One `eval chunking` from settings to run."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from statistics import fmean

from eval.chunkings import Chunking
from eval.progress import progress
from eval.query import Query
from eval.resume import resumed
from eval.runs import QuestionScore, Run, code_commit, describe, identify, now, recorded
from eval.score_chunking import Chunked, ChunkingScore, chunk_all, score_chunking
from eval.sets import EvalSet
from eval.vector_cache import CachedEmbedder, vector_cache
from preprocessing.document import Document
from preprocessing.errors import FolioError
from preprocessing.load import load
from retrieval.embed import open_embedder
from retrieval.embed.base import Embedder
from retrieval.settings import RetrievalSettings


def run_chunking(
    eval_set: EvalSet,
    settings: RetrievalSettings,
    chunkings: Mapping[str, Chunking],
    *,
    budget: int,
    limit: int | None = None,
    keep: Path | None = None,
    resume: Path | None = None,
    embedder: Embedder | None = None,
) -> Run:
    """Score every chunking of the set's documents on the first `limit` questions that have gold.

    `keep` is where the run is written, also when it stops half way; `resume` is such a run to go on with.
    Raises LoadError when a document cannot be read, FolioError when the set has no documents or no gold.
    """
    queries = eval_set.scored[:limit]
    if eval_set.documents is None or not queries:
        raise FolioError(f"{eval_set.name}/{eval_set.split}: chunking needs whole documents in docs/ and gold answers")
    documents = load_documents(eval_set.documents)
    with ExitStack() as stack:
        steps = stack.enter_context(progress())
        cache = stack.enter_context(vector_cache(settings.home / "eval" / "vectors.sqlite3"))
        model = embedder or open_embedder(settings)
        chunked: dict[str, Chunked] = {}
        for name, chunking in chunkings.items():
            one = CachedEmbedder(model, cache, steps.bar(f"{name}: embedding"))
            chunked[name] = chunk_all(list(documents.values()), chunking, one)
        cached = CachedEmbedder(model, cache)
        run = Run(
            command="chunking",
            commit=code_commit(),
            created_at=now(),
            set=identify(eval_set, searched=len(documents)),
            settings={**describe(settings, cached.model_id), "budget": budget},
            rows=list(chunkings),
            questions=[],
            statistics={name: _statistics(one) for name, one in chunked.items()},
        )
        run = resumed(run, resume)
        done = {question.query_id for question in run.questions}
        left = [query for query in queries if query.query_id not in done]
        # Each chunking has an index of its own; they take turns, so that every question is whole when work stops.
        scored = [
            stack.enter_context(closing(score_chunking(one, documents, left, settings, cached, budget)))
            for one in chunked.values()
        ]
        searching = steps.bar("searching")
        with recorded(run, keep) as questions:
            for query, *scores in zip(left, *scored, strict=True):
                questions.append(_question(query, dict(zip(chunked, scores, strict=True))))
                searching(len(questions), len(queries))
        return run.model_copy(update={"questions": questions})


def load_documents(folder: Path) -> dict[str, Document]:
    """Read every document of a folder, by file name."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.name: load(path, source=path.relative_to(folder).as_posix()) for path in files}


def _question(query: Query, scores: Mapping[str, ChunkingScore]) -> QuestionScore:
    by_row = {
        name: {"hit": score.hit} | ({} if score.complete is None else {"complete": score.complete})
        for name, score in scores.items()
    }
    return QuestionScore(query_id=query.query_id, question=query.text, kind=query.kind, scores=by_row)


def _statistics(chunked: Chunked) -> dict[str, float]:
    lengths: Sequence[int] = [len(chunk.text) for chunk in chunked.chunks]
    return {
        "chunks": len(lengths),
        "mean chars": fmean(lengths),
        "max chars": max(lengths),
        "seconds": chunked.seconds,
        "encoded/char": chunked.encoded_per_character,
    }
