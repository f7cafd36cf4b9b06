"""One `eval chunking` from settings to run."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import fmean

from eval.chunkings import Chunking
from eval.progress import progress
from eval.query import Query
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
    embedder: Embedder | None = None,
) -> Run:
    """Score every chunking of the set's documents on the first `limit` questions that have gold.

    Raises LoadError when a document cannot be read, FolioError when the set has no documents or no gold.
    """
    queries = eval_set.scored[:limit]
    if eval_set.documents is None or not queries:
        raise FolioError(f"{eval_set.name}/{eval_set.split}: chunking needs whole documents in docs/ and gold answers")
    documents = load_documents(eval_set.documents)
    with ExitStack() as stack:
        steps = stack.enter_context(progress())
        cache = stack.enter_context(vector_cache(settings.home / "eval" / "vectors.sqlite3"))
        model = embedder or open_embedder(settings.embed_model)
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
        with recorded(run, keep) as questions:
            scores = {
                name: {
                    score.query_id: score for score in score_chunking(one, documents, queries, settings, cached, budget)
                }
                for name, one in chunked.items()
            }
            questions += [_question(query, scores) for query in queries]
        return run.model_copy(update={"questions": questions})


def load_documents(folder: Path) -> dict[str, Document]:
    """Read every document of a folder, by file name."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.name: load(path, source=path.relative_to(folder).as_posix()) for path in files}


def _question(query: Query, scores: Mapping[str, Mapping[str, ChunkingScore]]) -> QuestionScore:
    by_row: dict[str, dict[str, float]] = {}
    for name, by_id in scores.items():
        score = by_id[query.query_id]
        by_row[name] = {"hit": score.hit} | ({} if score.complete is None else {"complete": score.complete})
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
