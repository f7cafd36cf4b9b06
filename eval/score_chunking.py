"""The story of `eval chunking`: chunk the same documents, hand on equally many characters, look for the answer."""

import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from eval.chunkings import Chunking, text_of
from eval.gold_statement import gold_statements, is_complete
from eval.index import chunks_indexed
from eval.judge import holds_answer
from eval.query import Query
from eval.stages import WHOLE_CORPUS
from eval.vector_cache import CachedEmbedder
from preprocessing.document import Chunk, Document
from preprocessing.merge import calibrate
from retrieval.embed.base import Vectors
from retrieval.hit import Hit
from retrieval.search import Engine, search
from retrieval.settings import RetrievalSettings

CANDIDATES = 60
"""Hits fetched to fill the budget: enough for chunks of 50 characters and a budget of 3,000."""


@dataclass(frozen=True, slots=True)
class Chunked:
    """All documents, chunked one way."""

    chunks: list[Chunk]
    vectors: Vectors
    seconds: float
    """Time to chunk and to encode; a text that was encoded in an earlier run counts what it took then."""
    encoded_per_character: float
    """Characters encoded for each character of text."""


@dataclass(frozen=True, slots=True)
class ChunkingScore:
    """What one question got from one chunking."""

    query_id: str
    hit: float
    complete: float | None
    """Whole sentence, or row with its header, in one chunk; None when the answer spans sentences."""


def chunk_all(documents: Sequence[Document], chunking: Chunking, embedder: CachedEmbedder) -> Chunked:
    """Chunk and encode every document."""
    unrelated = calibrate(embedder.embed_passages)
    characters, encoding = embedder.characters, embedder.seconds
    chunks: list[Chunk] = []
    vectors = []
    own = 0.0
    for document in documents:
        waited = embedder.waited
        started = time.perf_counter()
        some, theirs = chunking(document, embedder.embed_passages, unrelated)
        own += time.perf_counter() - started - (embedder.waited - waited)
        chunks += some
        vectors.append(theirs)
    total = sum(len(text_of(document)) for document in documents)
    return Chunked(
        chunks=chunks,
        vectors=np.concatenate(vectors),
        seconds=own + embedder.seconds - encoding,
        encoded_per_character=(embedder.characters - characters) / total,
    )


def score_chunking(
    chunked: Chunked,
    documents: Mapping[str, Document],
    queries: Sequence[Query],
    settings: RetrievalSettings,
    embedder: CachedEmbedder,
    budget: int,
) -> Generator[ChunkingScore]:
    """Yield the scores of one question after the other; `documents` is by file name, `budget` in characters."""
    deep = settings.model_copy(update={"candidates": CANDIDATES})
    with chunks_indexed(chunked.chunks, chunked.vectors, deep, embedder) as engine:
        for query in queries:
            texts = within_budget(_hits(query, engine), budget)
            statements = gold_statements((documents[name] for name in query.gold_files), query)
            gold = [text for text, source in texts if holds_answer(text, source, query)]
            complete = float(any(is_complete(text, statements) for text in gold)) if statements else None
            yield ChunkingScore(query.query_id, float(bool(gold)), complete)


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
