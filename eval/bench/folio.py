"""Folio's side of each task of the bench."""

from contextlib import closing
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from eval.bench import measure
from eval.bench.measure import BUILD, CHUNKS, DIMENSION, ENCODED, FILTERED, P95, QUERY, REOPEN, SPEED, Figures
from preprocessing.errors import FolioError
from retrieval.embed.bundled import BundledEmbedder
from retrieval.filters import Filter
from retrieval.knowledge_base import KnowledgeBase
from retrieval.rerank.token_interaction import TokenReranker
from retrieval.search import Engine, search
from retrieval.settings import RetrievalSettings
from retrieval.store.edge import EdgeStore

TOP = 20
DEPARTMENT = {"department": ("3",)}


def ingest(documents: str) -> Figures:
    """Ingest the file or folder into a new knowledge base."""
    embedder = CountingEmbedder()
    embedder.embed_query("load the model")
    with TemporaryDirectory(ignore_cleanup_errors=True) as home:
        settings = RetrievalSettings(home=Path(home), qdrant_url=None)
        with KnowledgeBase.open(settings, embedder=embedder) as knowledge_base:
            # Once for a knowledge base, however many documents follow.
            knowledge_base.unrelated_similarity()
            embedder.characters = 0
            report, seconds = measure.timed(lambda: knowledge_base.ingest([Path(documents)]))
            characters = sum(len(chunk.text) for chunk in knowledge_base.engine.store.scan())
    if report.failed:
        raise FolioError(f"{report.failed[0][0]}: {report.failed[0][1]}")
    encoded = embedder.characters / characters
    return {BUILD: seconds, CHUNKS: report.chunks, SPEED: characters / seconds, ENCODED: encoded}


class CountingEmbedder(BundledEmbedder):
    """Counts the characters of passages that it is given."""

    characters = 0

    def embed_passages(self, texts):  # type: ignore[no-untyped-def]
        """Return the vectors of passages."""
        self.characters += sum(map(len, texts))
        return super().embed_passages(texts)


def hybrid(size: str) -> Figures:
    """Fill a store in a folder; embed the question, ask both legs and fuse; the same for a tenth; open it anew."""
    chunks, vectors, embedder = measure.make_chunks(int(size)), measure.random_vectors(int(size)), BundledEmbedder()
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        with closing(EdgeStore.open(Path(folder), DIMENSION)) as store:
            _, stored = measure.timed(lambda: store.upsert(chunks, vectors))
            engine = Engine(embedder=embedder, store=store, candidates=TOP)
            p50, p95 = measure.spread(lambda text: search(text, engine, Filter(), rerank=False))
            tenth = Filter.of(DEPARTMENT)
            filtered, _ = measure.spread(lambda text: search(text, engine, tenth, rerank=False))
        again, reopened = measure.timed(lambda: EdgeStore.open(Path(folder), DIMENSION))
        again.close()
    return {BUILD: stored, QUERY: p50, P95: p95, FILTERED: filtered, REOPEN: reopened}


def encode(size: str) -> Figures:
    """Encode with the bundled model."""
    embedder = BundledEmbedder()
    return measure.encoding(int(size), embedder.embed_passages, embedder.embed_query)


def rerank(size: str) -> Figures:
    """Score passages that were not seen before by token interaction."""
    encoder = BundledEmbedder()
    times = []
    for round_ in range(measure.REPEATS):
        reranker = TokenReranker(encoder)
        reranker.warm()
        passages = measure.make_passages(int(size), round_)
        times.append(measure.timed(partial(reranker.scores, measure.ASKED[0], passages))[1])
    return {QUERY: 1000 * median(times)}
