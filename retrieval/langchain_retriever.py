"""Our search as a LangChain retriever, for chains that are not ours."""

from collections.abc import Mapping

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import Field

from retrieval.hit import Hit
from retrieval.knowledge_base import KnowledgeBase
from retrieval.search import Mode


class FolioRetriever(BaseRetriever):
    """Finds passages of a knowledge base; it sees what the viewer sees, and nothing else."""

    knowledge_base: KnowledgeBase
    k: int = Field(5, ge=1)
    mode: Mode = "hybrid"
    filters: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    viewer: tuple[str, ...] = ()
    """Groups on whose behalf is searched; none sees public documents only."""
    rerank: bool = True

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        hits = self.knowledge_base.search(query, self.k, self.mode, self.filters, self.viewer, rerank=self.rerank)
        return [as_document(hit) for hit in hits]


def as_document(hit: Hit) -> Document:
    """Return the hit as LangChain has it; `legs` holds the rank and the score that each leg gave it."""
    chunk = hit.chunk
    own = {
        "chunk_id": chunk.chunk_id,
        "doc_id": chunk.doc_id,
        "source": chunk.source,
        "title": chunk.title,
        "section": " > ".join(chunk.section),
        "page": chunk.page,
        "version": chunk.version,
        "updated_at": chunk.updated_at,
        "score": hit.score,
        "legs": {leg: {"rank": place.rank, "score": place.score} for leg, place in hit.legs.items()},
    }
    return Document(id=chunk.chunk_id, page_content=chunk.text, metadata=own)
