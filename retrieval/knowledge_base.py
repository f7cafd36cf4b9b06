"""The façade of retrieval: documents in, ranked hits out."""

import hashlib
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from preprocessing.discover import discover
from preprocessing.document import Document
from preprocessing.errors import FolioError
from preprocessing.load import load
from preprocessing.merge import calibrate
from preprocessing.prepare import PREPARE_VERSION, prepare
from preprocessing.source import document_id, source_of
from retrieval.bm25 import BM25, StaleIndexError
from retrieval.catalogue import Catalogue, DocumentRecord
from retrieval.embed import open_embedder
from retrieval.embed.base import Embedder
from retrieval.filters import Filter
from retrieval.hit import Hit
from retrieval.readers import Readers
from retrieval.rerank import CrossEncoderReranker, Reranker
from retrieval.search import Engine, Mode, check, search
from retrieval.settings import RetrievalSettings
from retrieval.store.base import Store
from retrieval.tokens import TOKENIZER_ID

logger = logging.getLogger(__name__)

Metadata = Mapping[str, str | tuple[str, ...]]


class IndexMismatch(FolioError):
    """The index was made with other settings than those in force."""


class NoDocuments(FolioError):
    """There is nothing to search yet."""


@dataclass(slots=True)
class IngestReport:
    """What an ingest did."""

    documents: int = 0
    """Files that are in the knowledge base after it: new, updated and unchanged."""
    chunks: int = 0
    """Chunks of those files."""
    unchanged: int = 0
    updated: int = 0
    """Files that replaced an earlier state."""
    failed: list[tuple[str, str]] = field(default_factory=list)
    """(source, error) of files that are not in."""
    warnings: list[tuple[str, str]] = field(default_factory=list)
    """(source, warning) of files that are in, with something a person should know."""


class KnowledgeBase:
    """An organisation's documents, searchable. Safe to use from several threads; writes take turns."""

    def __init__(self, settings: RetrievalSettings, catalogue: Catalogue, engine: Engine) -> None:
        self._settings = settings
        self._catalogue = catalogue
        self._engine = engine
        self._writing = threading.Lock()
        self._readers = Readers()
        self._hidden = catalogue.hidden_revisions()

    @classmethod
    def open(
        cls, settings: RetrievalSettings, *, embedder: Embedder | None = None, reranker: Reranker | None = None
    ) -> "KnowledgeBase":
        """Open the knowledge base in `settings.home`, making it when it is not there.

        Raises IndexMismatch when it was made with another embedding model, and StoreLocked when another process
        has it open.
        """
        embedder = embedder or open_embedder(settings.embed_model)
        if reranker is None and settings.rerank_model:
            reranker = CrossEncoderReranker(settings.rerank_model)
        settings.home.mkdir(parents=True, exist_ok=True)
        catalogue = Catalogue.in_folder(settings.home)
        try:
            manifest = _agreed_manifest(catalogue, embedder, settings)
            store = _open_store(settings, manifest["dimension"])
        except BaseException:
            catalogue.close()
            raise
        _remove_leftovers(catalogue, store)
        engine = Engine(
            embedder=embedder,
            store=store,
            keyword=_open_keyword(settings.home, catalogue, store),
            reranker=reranker,
            candidates=settings.candidates,
            rrf_k=settings.rrf_k,
            weights={"vector": settings.vector_weight, "keyword": settings.keyword_weight},
        )
        return cls(settings, catalogue, engine)

    @property
    def engine(self) -> Engine:
        """The parts that a search runs on."""
        return self._engine

    def close(self) -> None:
        """Release the store and the catalogue; calling it twice is harmless."""
        self._engine.store.close()
        self._catalogue.close()

    def __enter__(self) -> "KnowledgeBase":
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def ingest(
        self,
        paths: Sequence[Path],
        metadata: Metadata | None = None,
        progress: Callable[[int, int, str], None] | None = None,
    ) -> IngestReport:
        """Bring files, and those in folders, into the knowledge base; one bad file never stops the others.

        `progress` is called with (files done, files in all, source of the next file).
        """
        files, skipped = discover(paths)
        report = IngestReport(failed=[(source_of(path), reason) for path, reason in skipped])
        with self._writing:
            try:
                for done, path in enumerate(files):
                    if progress:
                        progress(done, len(files), source_of(path))
                    self._ingest_file(path, metadata or {}, report)
            finally:
                self._save_keyword()
        return report

    def delete(self, doc_id_or_source: str) -> DocumentRecord:
        """Remove a document from both legs and return what it was; raise UnknownDocument when it is not there."""
        with self._writing:
            record = self._catalogue.find(doc_id_or_source)
            self._catalogue.retire(record.doc_id)
            self._remove(record.revision)
            self._save_keyword()
        return record

    def documents(self) -> list[DocumentRecord]:
        """Return the current documents by source."""
        return self._catalogue.documents()

    def search(
        self,
        query: str,
        k: int = 5,
        mode: Mode = "hybrid",
        filters: Mapping[str, tuple[str, ...]] | None = None,
        viewer: Sequence[str] | None = None,
        rerank: bool = True,
    ) -> list[Hit]:
        """Return the k best hits, best first; a document with `visible_to` is found only by a viewer of those groups.

        Raises SearchError for a blank question, k below 1 or an unknown mode, and NoDocuments before the first ingest.
        """
        check(query, k, mode)
        if not self._engine.store.count():
            raise NoDocuments("there are no documents yet; run: folio ingest PATH")
        with self._readers.reading():
            where = Filter(equals=filters or {}, viewer=frozenset(viewer or ()), exclude_revisions=self._hidden)
            return search(query, self._engine, where, k=k, mode=mode, rerank=rerank)

    def health(self) -> dict[str, Any]:
        """Return counts of documents and of each leg, and the models in use."""
        return {
            "documents": len(self._catalogue.documents()),
            "chunks": self._engine.store.count(),
            "keyword_chunks": len(self._engine.keyword),
            "embed_model": self._engine.embedder.model_id,
            "rerank_model": self._engine.reranker.model_id if self._engine.reranker else None,
        }

    def unrelated_similarity(self) -> float:
        """Return the median cosine of unrelated texts under the embedding model, measured once and kept."""
        known = self._catalogue.manifest().get("unrelated_similarity")
        if known is None:
            known = calibrate(self._engine.embedder.embed_passages)
            self._catalogue.write_manifest(unrelated_similarity=known)
        return float(known)

    def _ingest_file(self, path: Path, metadata: Metadata, report: IngestReport) -> None:
        source = source_of(path)
        try:
            doc_id, revision = document_id(path), self._revision(path, metadata)
            before = self._catalogue.current(doc_id)
            if before and before.revision == revision:
                report.unchanged += 1
                chunks = before.chunks
            else:
                document = load(path, source=source, metadata=metadata)
                chunks = self._replace(document, revision, before)
                report.updated += before is not None
                report.warnings += [(source, warning) for warning in document.warnings]
            report.documents += 1
            report.chunks += chunks
        except FolioError as error:
            report.failed.append((source, str(error).removeprefix(f"{source}: ")))
        except Exception as error:
            logger.exception("could not ingest %s", source)
            report.failed.append((source, f"unexpected {type(error).__name__}: {error}"))

    def _revision(self, path: Path, metadata: Metadata) -> str:
        """Identify what ingesting the file would make: its bytes and everything that shapes its chunks."""
        shape = (
            sorted(metadata.items()),
            PREPARE_VERSION,
            self._engine.embedder.model_id,
            self._settings.chunking.model_dump_json(),
        )
        digest = hashlib.sha256(document_id(path).encode())
        digest.update(repr(shape).encode())
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
        return digest.hexdigest()[:32]

    def _replace(self, document: Document, revision: str, before: DocumentRecord | None) -> int:
        """Write the new state, make it current in one step, then remove the old one; return the number of chunks."""
        self._catalogue.begin(document, revision)
        self._hidden = self._catalogue.hidden_revisions()
        try:
            chunks, vectors = prepare(
                document,
                revision,
                self._engine.embedder.embed_passages,
                self._settings.chunking,
                self.unrelated_similarity(),
            )
            if not chunks:
                raise FolioError("nothing is left to search after cleaning")
            self._engine.store.upsert(chunks, vectors)
            self._engine.keyword.add(chunks)
            self._catalogue.commit(document.doc_id, revision, len(chunks))
        except BaseException:
            self._remove(revision)
            raise
        self._hidden = self._catalogue.hidden_revisions()
        if before:
            self._remove(before.revision)
        return len(chunks)

    def _remove(self, revision: str) -> None:
        """Take a hidden state out of both legs, once no search is left that began when it could be seen."""
        self._hidden = self._catalogue.hidden_revisions()
        self._readers.wait_for_earlier()
        self._engine.store.delete_revision(revision)
        self._engine.keyword.remove_revision(revision)
        self._catalogue.forget(revision)
        self._hidden = self._catalogue.hidden_revisions()

    def _save_keyword(self) -> None:
        self._engine.keyword.save(_keyword_path(self._settings.home), self._catalogue.generation)


def _agreed_manifest(catalogue: Catalogue, embedder: Embedder, settings: RetrievalSettings) -> dict[str, Any]:
    """Return the manifest, written at the first opening; raise IndexMismatch when the embedding model is another."""
    manifest = catalogue.manifest()
    if "embed_model" not in manifest:
        catalogue.write_manifest(embed_model=embedder.model_id, dimension=embedder.dimension, tokenizer=TOKENIZER_ID)
        return catalogue.manifest()
    if manifest["embed_model"] != embedder.model_id:
        raise IndexMismatch(
            f"the index in {settings.home} was made with the embedding model {manifest['embed_model']!r}, but "
            f"FOLIO_EMBED_MODEL is now {settings.embed_model!r} ({embedder.model_id}): set it back, or ingest again "
            "into a new folder given by FOLIO_HOME"
        )
    return manifest


def _open_store(settings: RetrievalSettings, dimension: int) -> Store:
    if settings.qdrant_url:
        # qdrant-client takes over a second to import, and the embedded store does not need it.
        from retrieval.store.qdrant import QdrantStore

        key = settings.qdrant_api_key.get_secret_value() if settings.qdrant_api_key else None
        return QdrantStore.open(settings.qdrant_url, key, settings.qdrant_collection, dimension)
    from retrieval.store.edge import EdgeStore

    return EdgeStore.open(settings.home / "store", dimension)


def _remove_leftovers(catalogue: Catalogue, store: Store) -> None:
    for revision in catalogue.leftovers():
        logger.info("removing the unfinished or replaced document state %s", revision)
        store.delete_revision(revision)
        catalogue.forget(revision)


def _keyword_path(home: Path) -> Path:
    return home / "keyword.npz"


def _open_keyword(home: Path, catalogue: Catalogue, store: Store) -> BM25:
    path, generation = _keyword_path(home), catalogue.generation
    try:
        index = BM25.load(path, generation)
        if len(index) == store.count():
            return index
        reason = f"{path} holds {len(index)} chunks and the store {store.count()}"
    except StaleIndexError as error:
        reason = str(error)
    if store.count():
        logger.warning("rebuilding the keyword index: %s", reason)
    index = BM25.build(store.scan())
    index.save(path, generation)
    return index
