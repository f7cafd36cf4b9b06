"""Any LangChain `VectorStore` as a store."""

import base64
import json
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore

from preprocessing.document import Chunk
from preprocessing.errors import FolioError
from retrieval.embed.embedder import Vectors
from retrieval.filters import Filter
from retrieval.hit import Hit, LegScore
from retrieval.store.edge import EdgeStore
from retrieval.store.keywords import Scored
from retrieval.store.payload import from_payload, point_id, to_payload
from retrieval.store.store import check_passages, check_query, in_order

_BATCH = 256
_FIRST = 4
"""How many times k candidates are asked for at first, and each time that a filter leaves too few of them."""
_QUESTION = "question"


class LangChainStore:
    """Chunks in a vector store that knows nothing of filters, revisions or Folio's vectors; several threads may use it.

    What every vector store has is enough: `add_documents` with ids, `delete`, `get_by_ids`, `similarity_search`. A
    chunk is a document whose metadata holds it whole, with its vector, so that cosines are exact whatever distance
    the store measures. It is as durable as the vector store is, and one process may write to it. An embedded store
    beside it knows which chunks there are and answers the keyword leg.
    """

    def __init__(self, make: "Callable[[Embeddings], VectorStore]", dimension: int, folder: Path | None = None) -> None:
        """Make the vector store by a function of the `Embeddings` that it has to use.

        `folder` holds the keywords and lives as long as what is in the vector store; None for a vector store in memory.
        """
        self._handed = HandedVectors(dimension)
        self._vector_store = make(self._handed)
        self._dimension = dimension
        self._temporary = TemporaryDirectory()
        # Its vectors say nothing: they are there because a point has one.
        self._keywords = EdgeStore.open(folder or Path(self._temporary.name), 1)
        # Most vector stores in a process are not made for threads.
        self._turn = threading.RLock()

    def upsert(self, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        """Write the chunks. Raises VectorError before anything is written."""
        array = _unit(check_passages(chunks, vectors, self._dimension))
        # Two chunks of one id in a call: the last one counts, as everywhere.
        unique = {chunk.chunk_id: (chunk, vector) for chunk, vector in zip(chunks, array, strict=True)}
        pairs = list(unique.values())
        for start in range(0, len(pairs), _BATCH):
            self._write(pairs[start : start + _BATCH])

    def delete_revision(self, revision: str) -> None:
        """Remove every chunk of one revision."""
        with self._turn:
            ids = self._ids(revision)
            for start in range(0, len(ids), _BATCH):
                self._delete(ids[start : start + _BATCH])
            self._keywords.delete_revision(revision)

    def search(self, vector: Vectors, k: int, where: Filter) -> list[Hit]:
        """Return the k nearest allowed chunks by cosine, best first, with leg `vector` filled in.

        More and more candidates are asked for until k of them are allowed, or there are no more.
        """
        query = _unit(check_query(vector, self._dimension)[None])[0]
        if k < 1:
            return []
        with self._turn:
            scored = self._allowed(query, k, where)
        scored.sort(key=lambda pair: (-pair[1], pair[0].chunk_id))
        return [
            Hit(chunk, score, {"vector": LegScore(rank, score)}) for rank, (chunk, score) in enumerate(scored[:k], 1)
        ]

    def search_keyword(self, question: str, k: int, where: Filter) -> Scored:
        """Return (chunk id, score) of the k best allowed chunks that share a token with the question, best first."""
        return self._keywords.search_keyword(question, k, where)

    def get(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        """Return the chunks in the order of the ids; ids that are not there are left out."""
        ids = [point_id(chunk_id) for chunk_id in chunk_ids]
        found = {point_id(chunk.chunk_id): chunk for chunk in map(_chunk, self._documents(list(dict.fromkeys(ids))))}
        return [found[name] for name in ids if name in found]

    def read_revision(self, revision: str) -> tuple[list[Chunk], Vectors]:
        """Return the chunks of one revision by index, with their vectors, shape (chunks, dimension)."""
        with self._turn:
            documents = self._documents(self._ids(revision))
        return in_order([(_chunk(one), _vector(one).tolist()) for one in documents], self._dimension)

    def scan(self) -> Iterator[Chunk]:
        """Yield every chunk, in no order, without vectors."""
        yield from self._keywords.scan()

    def count(self, revision: str | None = None) -> int:
        """Return the number of chunks, of one revision when it is given."""
        return self._keywords.count(revision)

    def count_keyword(self) -> int:
        """Return the number of chunks that the keyword leg holds."""
        return self._keywords.count_keyword()

    def close(self) -> None:
        """Release the keywords; the vector store belongs to whoever made it."""
        self._keywords.close()
        self._temporary.cleanup()

    def _ids(self, revision: str) -> list[str]:
        return [point_id(chunk.chunk_id) for chunk in self._keywords.read_revision(revision)[0]]

    def _write(self, pairs: "Sequence[tuple[Chunk, Vectors]]") -> None:
        chunks = [chunk for chunk, _ in pairs]
        ids = [point_id(chunk.chunk_id) for chunk in chunks]
        with self._turn:
            # Noted first: what a crash leaves half written can then be found and removed.
            self._keywords.upsert(chunks, np.ones((len(chunks), 1), dtype=np.float32))
            self._delete(ids)
            with self._handed.handing([chunk.text for chunk in chunks], np.array([vector for _, vector in pairs])):
                self._vector_store.add_documents([_document(*pair) for pair in pairs], ids=ids)

    def _delete(self, ids: Sequence[str]) -> None:
        """Remove those of the ids that are there; some stores refuse to be told of others."""
        if there := [document.metadata["id"] for document in self._documents(ids)]:
            self._vector_store.delete(there)

    def _documents(self, ids: Sequence[str]) -> "list[Document]":
        if not ids:
            return []
        with self._turn:
            return list(self._vector_store.get_by_ids(list(ids)))

    def _allowed(self, query: Vectors, k: int, where: Filter) -> list[tuple[Chunk, float]]:
        known, asked = self._keywords.count(), k * _FIRST
        while True:
            with self._handed.handing([_QUESTION], query[None]):
                found = self._vector_store.similarity_search(_QUESTION, k=asked)
            scored = list(_scored(found, query, where))
            if len(scored) >= k:
                return scored
            if asked > known and len(found) < asked:
                # A search by a graph may give fewer than there are, however many are asked for.
                return scored + list(_scored(self._left_out(found), query, where))
            asked *= _FIRST

    def _left_out(self, found: "Sequence[Document]") -> "Iterator[Document]":
        ids = sorted(
            {point_id(chunk.chunk_id) for chunk in self._keywords.scan()}.difference(
                document.metadata["id"] for document in found
            )
        )
        for start in range(0, len(ids), _BATCH):
            yield from self._documents(ids[start : start + _BATCH])


def _scored(documents: "Iterable[Document]", query: Vectors, where: Filter) -> Iterator[tuple[Chunk, float]]:
    for document in documents:
        if where.allows(chunk := _chunk(document)):
            yield chunk, float(query @ _vector(document))


def _document(chunk: Chunk, vector: Vectors) -> "Document":
    payload = to_payload(chunk)
    whole = {field.name: payload[field.name] for field in fields(Chunk) if field.name != "text"}
    # Plain values only: not every store takes lists or nested metadata.
    metadata = {
        "id": point_id(chunk.chunk_id),
        "doc_id": chunk.doc_id,
        "source": chunk.source,
        "chunk": json.dumps(whole, ensure_ascii=False),
        "vector": base64.b64encode(vector.astype("<f4").tobytes()).decode("ascii"),
    }
    return Document(page_content=chunk.text, metadata=metadata)


def _chunk(document: "Document") -> Chunk:
    whole: dict[str, Any] = json.loads(document.metadata["chunk"])
    return from_payload({**whole, "text": document.page_content})


def _vector(document: "Document") -> Vectors:
    return np.frombuffer(base64.b64decode(document.metadata["vector"]), dtype="<f4").astype(np.float32)


def _unit(vectors: Vectors) -> Vectors:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


class HandedVectors(Embeddings):
    """Answers for the texts that were just handed over, in any order; one hand-over at a time."""

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._ready: dict[str, deque[list[float]]] = {}
        self._turn = threading.RLock()

    @contextmanager
    def handing(self, texts: Sequence[str], vectors: Vectors) -> Iterator[None]:
        """Give these vectors for these texts until it ends."""
        with self._turn:
            for text, vector in zip(texts, vectors.tolist(), strict=True):
                self._ready.setdefault(text, deque()).append(vector)
            try:
                yield
            finally:
                self._ready = {}

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the vectors of the texts."""
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of the text; raises FolioError for a text that was not handed over."""
        if not self._ready:
            # Some stores embed a word of their own when they are made, to learn the dimension.
            return [1.0] + [0.0] * (self._dimension - 1)
        vectors = self._ready.get(text)
        if not vectors:
            raise FolioError("the vector store asks for the vector of a text that it was not given: it changes texts")
        # The same text may stand in several chunks, and a store may ask for one a second time.
        return vectors.popleft() if len(vectors) > 1 else vectors[0]
