"""A hybrid query from the question to the fused hits, without a reranker: Folio's search, and stock parts in a row."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from eval.bench_inputs import BUILD, DIMENSION, P95, QUERY, Figures, make_chunks, random_vectors, spread, timed
from eval.stages import WHOLE_CORPUS
from retrieval.bm25 import BM25
from retrieval.embed import open_embedder
from retrieval.search import Engine, search
from retrieval.store.edge import EdgeStore
from retrieval.tokens import query_tokens, tokenize

TOP = 20


def hybrid_folio(size: int) -> Figures:
    """Embed the question, ask the embedded store and the keyword index, and fuse."""
    chunks, vectors, embedder = make_chunks(size), random_vectors(size), open_embedder("bundled")
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        store = EdgeStore.open(Path(folder), DIMENSION)
        _, stored = timed(lambda: store.upsert(chunks, vectors))
        keyword, indexed = timed(lambda: BM25.build(chunks))
        engine = Engine(embedder=embedder, store=store, keyword=keyword, candidates=TOP)
        median, p95 = spread(lambda text: search(text, engine, WHOLE_CORPUS, rerank=False))
        store.close()
    return {BUILD: stored + indexed, QUERY: median, P95: p95}


def hybrid_stock(size: int) -> Figures:
    """Embed the question with the same model, ask `qdrant-client` in memory and `rank_bm25`, fuse as LangChain does."""
    from langchain_classic.retrievers import EnsembleRetriever
    from langchain_core.documents import Document
    from langchain_core.runnables import RunnableLambda
    from qdrant_client import QdrantClient, models
    from rank_bm25 import BM25Okapi

    chunks, vectors, embedder = make_chunks(size), random_vectors(size), open_embedder("bundled")
    client = QdrantClient(":memory:")
    client.create_collection("c", models.VectorParams(size=DIMENSION, distance=models.Distance.COSINE))
    payloads = [{"text": chunk.text} for chunk in chunks]
    _, stored = timed(lambda: client.upload_collection("c", vectors, payloads, ids=range(size)))
    index, indexed = timed(lambda: BM25Okapi([tokenize(chunk.search_text) for chunk in chunks]))
    nobody: RunnableLambda[str, list[Document]] = RunnableLambda(lambda _question: [])
    ensemble = EnsembleRetriever(retrievers=[nobody, nobody], weights=[0.5, 0.5])

    def ask(question: str) -> list[Document]:
        points = client.query_points("c", embedder.embed_query(question).tolist(), limit=TOP).points
        best = np.argsort(-np.asarray(index.get_scores(query_tokens(question))))[:TOP]
        legs = [[int(point.id) for point in points], best.tolist()]
        found = [[Document(page_content=chunks[row].text, id=chunks[row].chunk_id) for row in leg] for leg in legs]
        return ensemble.weighted_reciprocal_rank(found)

    median, p95 = spread(ask)
    client.close()
    return {BUILD: stored + indexed, QUERY: median, P95: p95}
