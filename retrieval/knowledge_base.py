"""The façade of retrieval: documents in, ranked hits out."""

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from preprocessing.errors import FolioError
from preprocessing.merge import calibrate
from preprocessing.prepare import prepare
from preprocessing.visibility import groups_of
from retrieval.bm25 import BM25, StaleIndexError
from retrieval.catalogue import Catalogue, DocumentRecord
from retrieval.embed import open_embedder
from retrieval.embed.base import Embedder
from retrieval.filters import Filter
from retrieval.hit import Hit
from retrieval.ingest import Given, IngestReport, Metadata, decide, given_at, given_data, reason, shape_of
from retrieval.rerank import CrossEncoderReranker, Reranker
from retrieval.search import Engine, Mode, check, search
from retrieval.settings import RetrievalSettings
from retrieval.states import States
from retrieval.store.base import Store
from retrieval.tokens import TOKENIZER_ID

logger = logging.getLogger(__name__)


class IndexMismatch(FolioError):
    """The index was made with other settings than those in force."""


class NoDocuments(FolioError):
    """There is nothing to search yet."""


class KnowledgeBase:
    """An organisation's documents, searchable. Safe to use from several threads; writes take turns."""

    def __init__(self, settings: RetrievalSettings, catalogue: Catalogue, engine: Engine) -> None:
        self._settings = settings
        self._catalogue = catalogue
        self._engine = engine
        self._states = States(catalogue, engine)
        self._writing = threading.Lock()

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
        try:
            settings.home.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FolioError(f"FOLIO_HOME {settings.home} cannot be a folder: {error.strerror}") from None
        catalogue = Catalogue.in_folder(settings.home)
        try:
            check_manifest(catalogue, embedder, settings)
            if "embed_model" not in catalogue.manifest():
                made_with = {"embed_model": embedder.model_id, "dimension": embedder.dimension}
                catalogue.write_manifest(**made_with, tokenizer=TOKENIZER_ID)
            store = _open_store(settings, catalogue.manifest()["dimension"])
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
        files, failed = given_at(paths)
        return self._ingest(files, metadata or {}, IngestReport(failed=failed), progress)

    def ingest_data(self, data: bytes, name: str, metadata: Metadata | None = None) -> IngestReport:
        """Bring in what has no file of its own, as the document that a file of that name would be."""
        with given_data(data, name) as given:
            return self._ingest([given], metadata or {}, IngestReport(), None)

    def delete(self, doc_id_or_source: str) -> DocumentRecord:
        """Remove a document from both legs and return what it was; raise UnknownDocument when it is not there."""
        with self._writing:
            record = self._catalogue.find(doc_id_or_source)
            self._states.delete(record)
            self._save_keyword()
        return record

    def documents(self) -> list[DocumentRecord]:
        """Return the current documents by source; one that shares the chunks of another names it in `same_as`."""
        return self._catalogue.documents()

    def is_empty(self) -> bool:
        """Say whether there is no document at all; unlike `documents`, at the same cost for any number of them."""
        return self._catalogue.is_empty()

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
        with self._states.reading() as hidden:
            equals = _with_originals(filters or {}, self._catalogue)
            where = Filter(equals=equals, viewer=frozenset(groups_of(viewer or ())), exclude_revisions=hidden)
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

    def _ingest(
        self,
        files: Sequence[Given],
        metadata: Metadata,
        report: IngestReport,
        progress: Callable[[int, int, str], None] | None,
    ) -> IngestReport:
        taken = set()
        with self._writing:
            try:
                for done, given in enumerate(files):
                    if progress:
                        progress(done, len(files), given.source)
                    try:
                        self._take(given, metadata, report)
                        taken.add(given.doc_id)
                    except Exception as error:  # noqa: BLE001  one bad file never stops the others
                        report.failed.append((given.source, reason(error, given.source)))
            finally:
                self._save_keyword()
            report.documents = len(taken)
            report.chunks = self._catalogue.count_chunks(taken)
        return report

    def _take(self, given: Given, metadata: Metadata, report: IngestReport) -> None:
        shape = shape_of(self._engine.embedder.model_id, self._settings.chunking)
        decision = decide(given, metadata, shape, self._catalogue)
        if (document := decision.document) and decision.file:
            self._states.put(
                document,
                decision.revision,
                decision.file,
                lambda: prepare(
                    document,
                    decision.revision,
                    self._engine.embedder.embed_passages,
                    self._settings.chunking,
                    self.unrelated_similarity(),
                ),
                twin=decision.twin,
                renamed_from=decision.renamed_from,
            )
            report.warnings += [(given.source, warning) for warning in document.warnings]
        report.unchanged += decision.outcome == "unchanged"
        report.updated += decision.outcome == "updated"

    def _save_keyword(self) -> None:
        self._engine.keyword.save(_keyword_path(self._settings.home), self._catalogue.generation)


def check_manifest(catalogue: Catalogue, embedder: Embedder, settings: RetrievalSettings) -> None:
    """Raise IndexMismatch when the index was made with another embedding model."""
    made_with = catalogue.manifest().get("embed_model", embedder.model_id)
    if made_with != embedder.model_id:
        raise IndexMismatch(
            f"the index in {settings.home} was made with the embedding model {made_with!r}, but "
            f"FOLIO_EMBED_MODEL is now {settings.embed_model!r} ({embedder.model_id}): set it back, or ingest again "
            "into a new folder given by FOLIO_HOME"
        )


def _open_store(settings: RetrievalSettings, dimension: int) -> Store:
    if settings.qdrant_url:
        # qdrant-client takes over a second to import, and the embedded store does not need it.
        from retrieval.store.qdrant import QdrantStore

        key = settings.qdrant_api_key.get_secret_value() if settings.qdrant_api_key else None
        return QdrantStore.open(settings.qdrant_url, key, settings.qdrant_collection, dimension)
    from retrieval.store.edge import EdgeStore

    return EdgeStore.open(settings.home / "store", dimension)


def _with_originals(filters: Mapping[str, tuple[str, ...]], catalogue: Catalogue) -> dict[str, tuple[str, ...]]:
    """Let a filter by document find the chunks of a copy, which carry the names of its original."""
    equals = dict(filters)
    for key in {"doc_id", "source"} & equals.keys():
        records = {record.doc_id: record for record in catalogue.documents()}
        originals = [records[r.same_as] for r in records.values() if r.same_as and getattr(r, key) in equals[key]]
        equals[key] = (*equals[key], *(getattr(original, key) for original in originals))
    return equals


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
