"""The story of `eval chunking`: chunk the same documents, hand on equally many characters, look for the answer."""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Annotated

import numpy as np
import typer
from langchain_text_splitters import RecursiveCharacterTextSplitter

from agent.settings import load_settings
from eval.metrics.bootstrap import paired_difference
from eval.metrics.gold import holds_answer
from eval.options import DataOption, JsonOption, LimitOption, RunsOption, SplitOption
from eval.runs.run import (
    QuestionScore,
    Run,
    describe,
    identify,
    kept_at,
    new_run,
    progress,
    recorded,
)
from eval.runs.tables import Cell, markdown_table, mean_score, of_set, scores_of, spread
from eval.sets.files import Query
from eval.sets.index import chunks_indexed
from eval.sets.load import EvalSet, load_set
from eval.sets.vector_cache import CachedEmbedder, vector_cache
from eval.tasks.stages import WHOLE_CORPUS
from preprocessing.document import Chunk, Document
from preprocessing.errors import FolioError
from preprocessing.load import load
from preprocessing.merge import calibrate
from preprocessing.prepare import ChunkingSettings, prepare
from retrieval.embed import open_embedder
from retrieval.embed.embedder import Embedder, Vectors
from retrieval.hit import Hit
from retrieval.search import Engine, search
from retrieval.settings import RetrievalSettings

Encode = Callable[[Sequence[str]], Vectors]
Chunking = Callable[[Document, Encode, float], tuple[list[Chunk], Vectors]]
"""Takes a document, what encodes, and the similarity of unrelated text; returns chunks with unit vectors."""

STOCK = ("fixed 500", "recursive 800")
"""Rows of the table that ours are held against."""

_SEPARATORS = ["\n\n", "\n", "。", "！", "？", "；", ". ", "! ", "? ", "; ", "，", ", ", " ", ""]
CANDIDATES = 60
"""Hits fetched to fill the budget: enough for chunks of 50 characters and a budget of 3,000."""


@dataclass(frozen=True, slots=True)
class Chunked:
    """All documents, chunked one way."""

    chunks: list[Chunk]
    vectors: Vectors


def chunking(
    data: DataOption,
    split: SplitOption = "dev",
    budget: Annotated[int, typer.Option(min=1, help="Characters handed on for each question.")] = 3000,
    threshold: Annotated[
        float, typer.Option(min=0, max=1, help="Second merge threshold, beside that of the settings.")
    ] = 0.5,
    limit: LimitOption = None,
    json: JsonOption = None,
    runs: RunsOption = None,
) -> None:
    """Compare ways to chunk the same whole documents, at equal characters handed on."""
    eval_set, settings = load_set(data, split, whole_documents=True), load_settings()
    compared = chunkings(settings.chunking, threshold)
    keep = kept_at(settings, "chunking", f"{eval_set.name}-{split}", json, runs)
    run = run_chunking(eval_set, settings, compared, budget=budget, limit=limit, keep=keep)
    typer.echo(chunking_table(run))
    typer.echo(f"run: {keep}", err=True)


def run_chunking(
    eval_set: EvalSet,
    settings: RetrievalSettings,
    compared: Mapping[str, Chunking],
    *,
    budget: int,
    limit: int | None = None,
    keep: Path | None = None,
    embedder: Embedder | None = None,
) -> Run:
    """Score every chunking of the set's documents on the first `limit` questions that have gold.

    `keep` is where the run is written, also when it stops half way.
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
        for name, chunking in compared.items():
            one = CachedEmbedder(model, cache, steps.bar(f"{name}: embedding"))
            chunked[name] = chunk_all(list(documents.values()), chunking, one)
        cached = CachedEmbedder(model, cache)
        run = new_run(
            "chunking",
            {**describe(settings, cached.model_id), "budget": budget},
            list(compared),
            identify(eval_set, searched=len(documents)),
            statistics={name: _statistics(one) for name, one in chunked.items()},
        )
        # Each chunking has an index of its own; they take turns, so that every question is whole when work stops.
        scored = [
            stack.enter_context(closing(score_chunking(one, queries, settings, cached, budget)))
            for one in chunked.values()
        ]
        searching = steps.bar("searching")
        with recorded(run, keep) as questions:
            for query, *scores in zip(queries, *scored, strict=True):
                questions.append(_question(query, dict(zip(chunked, scores, strict=True))))
                searching(len(questions), len(queries))
        return run.model_copy(update={"questions": questions})


def load_documents(folder: Path) -> dict[str, Document]:
    """Read every document of a folder, by file name."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.name: load(path, source=path.relative_to(folder).as_posix()) for path in files}


def _question(query: Query, scores: Mapping[str, float]) -> QuestionScore:
    by_row = {name: {"hit": score} for name, score in scores.items()}
    return QuestionScore(query_id=query.query_id, question=query.text, kind=query.kind, scores=by_row)


def _statistics(chunked: Chunked) -> dict[str, float]:
    lengths: Sequence[int] = [len(chunk.text) for chunk in chunked.chunks]
    return {
        "chunks": len(lengths),
        "mean chars": fmean(lengths),
        "max chars": max(lengths),
    }


def chunk_all(documents: Sequence[Document], chunking: Chunking, embedder: CachedEmbedder) -> Chunked:
    """Chunk and encode every document."""
    unrelated = calibrate(embedder.embed_passages)
    made = [chunking(document, embedder.embed_passages, unrelated) for document in documents]
    return Chunked([chunk for chunks, _ in made for chunk in chunks], np.concatenate([vectors for _, vectors in made]))


def score_chunking(
    chunked: Chunked,
    queries: Sequence[Query],
    settings: RetrievalSettings,
    embedder: CachedEmbedder,
    budget: int,
) -> Generator[float]:
    """Yield 1 for each question whose answer is handed on whole within the budget of characters, else 0."""
    deep = settings.model_copy(update={"candidates": CANDIDATES})
    with chunks_indexed(chunked.chunks, chunked.vectors, deep, embedder) as engine:
        for query in queries:
            texts = within_budget(_hits(query, engine), budget)
            yield float(any(holds_answer(text, source, query) for text, source in texts))


def within_budget(hits: Sequence[Hit], budget: int) -> list[tuple[str, str]]:
    """Return (text, source) of the first hits, `budget` characters in all; the last text is cut to fit."""
    texts: list[tuple[str, str]] = []
    for hit in hits:
        if budget <= 0:
            break
        text = hit.chunk.text[:budget]
        texts.append((text, hit.chunk.source))
        budget -= len(text)
    return texts


def _hits(query: Query, engine: Engine) -> list[Hit]:
    return search(query.text, engine, WHOLE_CORPUS, k=CANDIDATES, rerank=False)


def chunkings(settings: ChunkingSettings, other_threshold: float) -> Mapping[str, Chunking]:
    """Return the chunkings to compare, by name: stock ones, merging at two thresholds, and without the headings."""
    merges = [settings, settings.model_copy(update={"merge_threshold": other_threshold})]
    return {
        "fixed 500": fixed(500),
        "recursive 800": recursive(800),
        **{f"merge at {merge.merge_threshold:g}": merged(merge) for merge in merges},
        f"merge at {settings.merge_threshold:g}, no headings": without_headings(merged(settings)),
    }


def fixed(size: int) -> Chunking:
    """Cut the text every `size` characters."""

    def chunk(document: Document, encode: Encode, _unrelated: float) -> tuple[list[Chunk], Vectors]:
        text = text_of(document)
        return _encoded(document, [text[start : start + size] for start in range(0, len(text), size)], encode)

    return chunk


def recursive(size: int) -> Chunking:
    """Cut with LangChain's recursive splitter, given Chinese marks too, without overlap."""

    def chunk(document: Document, encode: Encode, _unrelated: float) -> tuple[list[Chunk], Vectors]:
        splitter = RecursiveCharacterTextSplitter(
            chunk_size=size, chunk_overlap=0, separators=_SEPARATORS, keep_separator="end"
        )
        return _encoded(document, splitter.split_text(text_of(document)), encode)

    return chunk


def merged(settings: ChunkingSettings) -> Chunking:
    """Split by section and merge neighbours by meaning, as ingest does."""

    def chunk(document: Document, encode: Encode, unrelated: float) -> tuple[list[Chunk], Vectors]:
        return prepare(document, document.content_hash, encode, settings, unrelated)

    return chunk


def without_headings(chunking: Chunking) -> Chunking:
    """Make the same chunks, and search their text alone."""

    def chunk(document: Document, encode: Encode, unrelated: float) -> tuple[list[Chunk], Vectors]:
        chunks, _ = chunking(document, encode, unrelated)
        bare = [replace(one, title="", section=()) for one in chunks]
        return bare, encode([one.search_text for one in bare])

    return chunk


def text_of(document: Document) -> str:
    """Return the document as one Markdown-like text."""
    return "\n\n".join("#" * block.level + " " * bool(block.level) + block.text for block in document.blocks)


def _encoded(document: Document, texts: Sequence[str], encode: Encode) -> tuple[list[Chunk], Vectors]:
    blank = Chunk(
        chunk_id="",
        doc_id=document.doc_id,
        revision=document.content_hash,
        index=0,
        text="",
        section=(),
        page=None,
        source=document.source,
        title=document.title,
        doc_type=document.doc_type,
    )
    chunks = [
        replace(blank, chunk_id=f"{document.doc_id}-{index:04d}", index=index, text=text)
        for index, text in enumerate(text for text in texts if text.strip())
    ]
    return chunks, encode([chunk.search_text for chunk in chunks])


def chunking_table(run: Run) -> str:
    """Return the table of a chunking run: quality at equal budget, then what the chunks are and cost."""
    lines: list[list[Cell]] = []
    for row in run.rows:
        figures = run.statistics[row]
        lines.append(
            [
                row,
                mean_score(run.questions, row, "hit"),
                *(f"{figures[name]:,.0f}" for name in ("chunks", "mean chars", "max chars")),
            ]
        )
    title = (
        f"{of_set(run, 'documents')}, "
        f"{run.settings['budget']:,} characters handed on, embedding model {run.settings['embed_model']}"
    )
    header = ["", "hit rate", "chunks", "mean chars", "max chars"]
    return f"{title}\n\n{markdown_table(header, lines)}\n\n{_chunking_intervals(run)}"


def _chunking_intervals(run: Run) -> str:
    """Return the bootstrap intervals of each row, and of its difference from the strongest of the stock rows."""
    stock = max((row for row in run.rows if row in STOCK), key=lambda row: fmean(scores_of(run.questions, row, "hit")))
    lines: list[list[Cell]] = []
    base = scores_of(run.questions, stock, "hit")
    for row in run.rows:
        scores = scores_of(run.questions, row, "hit")
        change = paired_difference(base, scores)
        lines.append([row, spread(scores), f"{change.low:+.3f} to {change.high:+.3f}" if row != stock else ""])
    return markdown_table(["95 % interval", "hit rate", f"less {stock}"], lines)
