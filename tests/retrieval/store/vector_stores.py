"""LangChain vector stores, each made as its own documentation has it; those that are not installed are skipped."""

import uuid
import warnings
from collections.abc import Callable

import pytest
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore


def faiss(embeddings: Embeddings) -> VectorStore:
    index = pytest.importorskip("faiss").IndexFlatL2(len(embeddings.embed_query("dimension")))
    with warnings.catch_warnings():
        # The package says on every import that it is not kept up any more.
        warnings.simplefilter("ignore", DeprecationWarning)
        pytest.importorskip("langchain_community")
        from langchain_community.docstore.in_memory import InMemoryDocstore
        from langchain_community.vectorstores import FAISS
    return FAISS(embeddings, index, InMemoryDocstore(), {})


def chroma(embeddings: Embeddings) -> VectorStore:
    """Keep them in memory; it brings thirty packages, so that a plain test run does without it."""
    pytest.importorskip("langchain_chroma")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from langchain_chroma import Chroma

        made: VectorStore = Chroma(f"folio-{uuid.uuid4()}", embeddings)
    return made


VECTOR_STORES: dict[str, Callable[[Embeddings], VectorStore]] = {
    "langchain": InMemoryVectorStore,
    "faiss": faiss,
    "chroma": chroma,
}
