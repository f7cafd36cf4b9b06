"""Search and fusion: Folio's parts, and the stock parts that do the same work."""

import zlib
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from eval.bench_inputs import (
    BUILD,
    DIMENSION,
    FILTERED,
    QUERY,
    REOPEN,
    UPDATE,
    Figures,
    Result,
    make_chunks,
    per_query,
    random_vectors,
    timed,
)
from preprocessing.document import Chunk
from retrieval.bm25 import BM25
from retrieval.filters import Filter
from retrieval.fusion import fuse
from retrieval.hit import Hit, Leg, LegScore
from retrieval.store.edge import EdgeStore
from retrieval.tokens import query_tokens, tokenize

_UPDATES = 10


def keyword_folio(size: int) -> Figures:
    """Build our keyword index, replace documents one by one and save each time, open it anew and search it."""
    chunks = [replace(chunk, revision=chunk.doc_id) for chunk in make_chunks(size)]
    index, built = timed(lambda: BM25.build(chunks))
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = Path(folder)
        index.save(path, 0)
        documents = [[*document] for _, document in groupby(chunks, lambda chunk: chunk.doc_id)]
        replaced = documents[:: -(-len(documents) // _UPDATES)]
        updates = [timed(partial(_replace, index, path, *numbered))[1] for numbered in enumerate(replaced, start=1)]
        opened, reopened = timed(lambda: BM25.load(path, len(replaced)))
        query = per_query(lambda text: opened.search(text, 20, Filter()))
        one_document = Filter(equals={"doc_id": ("d1",)})
        filtered = per_query(lambda text: opened.search(text, 20, one_document))
    update = float(np.median(updates)) * 1000
    return {BUILD: built, UPDATE: update, QUERY: query, FILTERED: filtered, REOPEN: reopened}


def _replace(index: BM25, path: Path, generation: int, document: Sequence[Chunk]) -> None:
    new = f"{document[0].revision}, replaced"
    index.add([replace(chunk, chunk_id=f"{chunk.chunk_id}, replaced", revision=new) for chunk in document])
    index.remove_revision(document[0].revision)
    index.save(path, generation)


def keyword_rank_bm25(size: int) -> Figures:
    """Build `rank_bm25` on the same tokens and take its twenty best; a changed document means building it anew."""
    from rank_bm25 import BM25Okapi

    chunks = make_chunks(size)
    index, built = timed(lambda: BM25Okapi([tokenize(chunk.search_text) for chunk in chunks]))

    def search(text: str) -> list[int]:
        scores = np.asarray(index.get_scores(query_tokens(text)))
        return [int(row) for row in np.argsort(-scores)[:20]]

    return {BUILD: built, UPDATE: built * 1000, QUERY: per_query(search)}


def vector_folio(size: int) -> Figures:
    """Fill the embedded store and search it."""
    chunks, vectors = make_chunks(size), random_vectors(size)
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        store = EdgeStore.open(Path(folder), DIMENSION)
        _, built = timed(lambda: store.upsert(chunks, vectors))
        query = per_query(lambda text: store.search(vectors[_row_of(text, size)], 20, Filter()))
        store.close()
    return {BUILD: built, QUERY: query}


def vector_qdrant_local(size: int) -> Figures:
    """Fill the local mode of `qdrant-client` in memory and search it; on disk it takes minutes for 100,000 chunks."""
    from qdrant_client import QdrantClient, models

    chunks, vectors = make_chunks(size), random_vectors(size)
    client = QdrantClient(":memory:")
    client.create_collection("c", models.VectorParams(size=DIMENSION, distance=models.Distance.COSINE))
    payloads = [{"text": chunk.text, "source": chunk.source} for chunk in chunks]
    _, built = timed(lambda: client.upload_collection("c", vectors, payloads, ids=range(size)))
    query = per_query(lambda text: client.query_points("c", vectors[_row_of(text, size)].tolist(), limit=20))
    client.close()
    return {BUILD: built, QUERY: query}


def fuse_folio(size: int) -> Figures:
    """Fuse two legs of `size` hits."""
    legs = _two_legs(size)
    weights: dict[Leg, float] = {"vector": 1.0, "keyword": 1.0}
    return {QUERY: per_query(lambda _text: fuse(legs, weights))}


def fuse_langchain(size: int) -> Figures:
    """Fuse the same hits with LangChain's EnsembleRetriever."""
    from langchain_classic.retrievers import EnsembleRetriever
    from langchain_core.documents import Document as LangChainDocument
    from langchain_core.runnables import RunnableLambda

    legs = [
        [LangChainDocument(page_content=hit.chunk.text, id=hit.chunk.chunk_id) for hit in leg]
        for leg in _two_legs(size).values()
    ]
    retrievers = [RunnableLambda(partial(_given, leg)) for leg in legs]
    ensemble = EnsembleRetriever(retrievers=retrievers, weights=[0.5, 0.5])
    return {QUERY: per_query(lambda _text: ensemble.weighted_reciprocal_rank(legs))}


def _given(found: Result, _question: str) -> Result:
    return found


def _row_of(question: str, size: int) -> int:
    return zlib.crc32(question.encode()) % size


def _two_legs(size: int) -> dict[Leg, list[Hit]]:
    chunks = make_chunks(size * 3 // 2)
    legs: dict[Leg, list[Chunk]] = {"vector": chunks[:size], "keyword": chunks[-size:]}
    return {
        leg: [Hit(chunk, 1 / rank, {leg: LegScore(rank, 1 / rank)}) for rank, chunk in enumerate(some, start=1)]
        for leg, some in legs.items()
    }
