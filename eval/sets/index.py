"""A set becomes something to search: passages as they are, documents through our own ingest."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from eval.sets.files import Passage, SetError
from eval.sets.load import EvalSet
from preprocessing.document import Chunk, Document
from retrieval.documents.catalogue import Catalogue
from retrieval.embed.embedder import Embedder
from retrieval.knowledge_base import KnowledgeBase
from retrieval.rerank.rerank import Reranker
from retrieval.search import Engine
from retrieval.settings import RetrievalSettings

PASSAGES = "passages"
"""Revision of ready-made passages."""


@contextmanager
def indexed(
    eval_set: EvalSet, settings: RetrievalSettings, embedder: Embedder, reranker: Reranker | None = None
) -> Iterator[Engine]:
    """Give an engine over what the set searches, in a temporary folder; raise SetError as `ingested` does."""
    with TemporaryDirectory(prefix="folio-eval-", ignore_cleanup_errors=True) as home:
        own = settings.model_copy(
            # The reranker is the one that is given, or none.
            update={"home": Path(home), "qdrant_url": None, "database_url": None, "rerank": "none"}
        )
        searched = (
            passages_ingested(eval_set.passages, own, embedder, reranker)
            if eval_set.documents is None
            else ingested(eval_set.documents, own, embedder, reranker)
        )
        with searched as knowledge_base:
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
