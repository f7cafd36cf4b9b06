"""A set becomes something to search: passages as they are, documents through our own ingest."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from eval.sets.files import Passage, SetError
from eval.sets.load import EvalSet
from preprocessing.document import Chunk, Document
from retrieval.documents.catalogue import Catalogue
from retrieval.embed.embedder import Embedder, Vectors
from retrieval.knowledge_base import KnowledgeBase
from retrieval.rerank.rerank import Reranker
from retrieval.search import Engine
from retrieval.settings import RetrievalSettings
from retrieval.store.edge import EdgeStore

PASSAGES = "passages"
"""Revision of ready-made passages."""


@contextmanager
def indexed(
    eval_set: EvalSet, settings: RetrievalSettings, embedder: Embedder, reranker: Reranker | None = None
) -> Iterator[Engine]:
    """Give an engine over what the set searches, in a temporary folder; raise SetError as `ingested` does."""
    if eval_set.documents is None:
        chunks = [passage_chunk(passage) for passage in eval_set.passages]
        vectors = embedder.embed_passages([chunk.search_text for chunk in chunks])
        with chunks_indexed(chunks, vectors, settings, embedder, reranker) as engine:
            yield engine
        return
    with TemporaryDirectory(prefix="folio-eval-", ignore_cleanup_errors=True) as home:
        own = settings.model_copy(update={"home": Path(home), "qdrant_url": None, "database_url": None})
        with ingested(eval_set.documents, own, embedder, reranker) as knowledge_base:
            yield knowledge_base.engine


@contextmanager
def ingested(
    documents: Path, settings: RetrievalSettings, embedder: Embedder, reranker: Reranker | None = None
) -> Iterator[KnowledgeBase]:
    """Give a knowledge base in `settings.home` with every document of the folder.

    Raises SetError when a document cannot be ingested: figures over a part of the documents would mislead.
    """
    with KnowledgeBase.open(settings, embedder=embedder, reranker=reranker) as knowledge_base:
        report = knowledge_base.ingest([documents])
        for source, error in report.failed:
            raise SetError(f"{source}: cannot be ingested: {error}")
        yield knowledge_base


@contextmanager
def passages_ingested(
    passages: Sequence[Passage], settings: RetrievalSettings, embedder: Embedder, reranker: Reranker | None = None
) -> Iterator[KnowledgeBase]:
    """Give a knowledge base in `settings.home` whose chunks are the passages as they are, all of one document."""
    corpus = Document("corpus", "corpus.jsonl", "corpus", (), "jsonl", content_hash="")
    chunks = [passage_chunk(passage) for passage in passages]
    vectors = embedder.embed_passages([chunk.search_text for chunk in chunks])
    with KnowledgeBase.open(settings, embedder=embedder, reranker=reranker) as knowledge_base:
        knowledge_base.engine.store.upsert(chunks, vectors)
        with closing(Catalogue.in_folder(settings.home)) as catalogue:
            catalogue.begin(corpus, PASSAGES)
            catalogue.commit(corpus.doc_id, PASSAGES, len(chunks))
        yield knowledge_base


def passage_chunk(passage: Passage) -> Chunk:
    """Return the passage as a chunk with its own id."""
    return Chunk(
        chunk_id=passage.doc_id,
        doc_id=passage.doc_id,
        revision=PASSAGES,
        index=0,
        text=passage.text,
        section=(passage.section,) if passage.section else (),
        page=None,
        source=passage.doc_id,
        title=passage.title,
        doc_type="passage",
    )


@contextmanager
def chunks_indexed(
    chunks: Sequence[Chunk],
    vectors: Vectors,
    settings: RetrievalSettings,
    embedder: Embedder,
    reranker: Reranker | None = None,
) -> Iterator[Engine]:
    """Give an engine over chunks with their vectors, in a temporary folder."""
    with TemporaryDirectory(prefix="folio-eval-", ignore_cleanup_errors=True) as home:
        store = EdgeStore.open(Path(home) / "store", embedder.dimension)
        try:
            store.upsert(chunks, vectors)
            yield Engine(
                embedder=embedder,
                store=store,
                reranker=reranker,
                candidates=settings.candidates,
                rrf_k=settings.rrf_k,
                weights={"vector": settings.vector_weight, "keyword": settings.keyword_weight},
            )
        finally:
            store.close()
