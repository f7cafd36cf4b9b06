"""The façade of retrieval: documents in, ranked hits out."""

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from datetime import date
from pathlib import Path
from typing import Any

from preprocessing.document import Chunk
from preprocessing.errors import FolioError
from preprocessing.merge import calibrate
from preprocessing.prepare import prepare
from preprocessing.visibility import groups_of
from retrieval.documents.catalogue import Catalogue
from retrieval.documents.manifest import (
    IndexMismatch,
    Place,
    StoreElsewhere,
    check_dimension,
    check_manifest,
    check_tokens,
    chunk_model,
    kind_of,
    made_with,
    open_store,
    place_in_force,
)
from retrieval.documents.other_documents import Fate, fate_of, marked, names_a_version, with_copies, with_originals
from retrieval.documents.outline import document_named
from retrieval.documents.revisions import Revisions
from retrieval.documents.schema import DocumentRecord
from retrieval.embed import open_embedder
from retrieval.embed.embedder import Embedder
from retrieval.filters import Filter, Filters
from retrieval.hit import Hit
from retrieval.ingest import (
    Given,
    IngestReport,
    Metadata,
    Outcome,
    Reading,
    decide,
    given_at,
    given_data,
    missing_from,
    readings,
    reason,
    shape_of,
)
from retrieval.rerank.rerank import OrFusedOrder, Reranker, open_reranker
from retrieval.search import Engine, Mode, NoDocuments, check, search
from retrieval.settings import RetrievalSettings
from retrieval.store.store import Store
from retrieval.text.tokens import query_tokens
from retrieval.upkeep.doctor import Examination, examine
from retrieval.upkeep.why_not import Verdict, why_not

logger = logging.getLogger(__name__)


class KnowledgeBase:
    """An organisation's documents, searchable. Safe to use from several threads; writes take turns."""

    def __init__(self, settings: RetrievalSettings, catalogue: Catalogue, engine: Engine, place: Place) -> None:
        self._settings = settings
        self._catalogue = catalogue
        self._engine = engine
        self._revisions = Revisions(catalogue, engine, place)
        self._writing = threading.Lock()

    @classmethod
    def open(
        cls,
        settings: RetrievalSettings,
        *,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
        store: Store | None = None,
    ) -> "KnowledgeBase":
        """Open the knowledge base in `settings.home`, making it when it is not there.

        A `store` of your own takes the place of the one that the settings name, and is closed with the rest.

        Raises IndexMismatch when it was made with another embedding model, StoreElsewhere when its documents are in
        another store than the settings name, and StoreLocked when another process has it open.
        """
        embedder = embedder or open_embedder(settings)
        if reranker is None and (named := open_reranker(settings, embedder)):
            reranker = OrFusedOrder(named)
        try:
            settings.home.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FolioError(f"FOLIO_HOME {settings.home} cannot be a folder: {error.strerror}") from None
        catalogue = Catalogue.of(settings)
        try:
            manifest = catalogue.manifest()
            check_manifest(manifest, embedder, settings)
            if "embed_model" not in manifest:
                catalogue.write_manifest(**(manifest := made_with(embedder)))
            place = place_in_force(catalogue, settings, kind_of(settings, store))
            store = store or open_store(settings, place, manifest["dimension"])
            try:
                _check_store(settings, catalogue, store, place)
            except BaseException:
                store.close()
                raise
        except BaseException:
            catalogue.close()
            raise
        engine = Engine(
            embedder=embedder,
            store=store,
            reranker=reranker,
            candidates=settings.candidates,
            rrf_k=settings.rrf_k,
            weights={"vector": settings.vector_weight, "keyword": settings.keyword_weight},
        )
        return cls(settings, catalogue, engine, place)

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
        report = self._ingest(files, metadata or {}, IngestReport(failed=failed), progress)
        report.missing = [record.source for record in self.missing(paths)]
        return report

    def ingest_data(self, data: bytes, name: str, metadata: Metadata | None = None) -> IngestReport:
        """Bring in what has no file of its own, as the document that a file of that name would be."""
        with given_data(data, name) as given:
            return self._ingest([given], metadata or {}, IngestReport(), None)

    def delete(self, doc_id_or_source: str) -> DocumentRecord:
        """Remove a document from both legs and return what it was; raise UnknownDocument when it is not there."""
        with self._alone():
            record = self._catalogue.find(doc_id_or_source)
            self._revisions.delete(record)
            self._catalogue.note_outcome([record.source], {})
        return record

    def documents(self, viewer: Sequence[str] | None = None) -> list[DocumentRecord]:
        """Return the current documents by source; one that shares the chunks of another names it in `same_as`.

        With a `viewer`, only those that these groups may see; None is the owner of the knowledge base, who sees all.
        """
        records = self._catalogue.documents()
        if viewer is None:
            return records
        groups = set(groups_of(viewer))
        return [record for record in records if not record.visible_to or groups.intersection(record.visible_to)]

    def document(self, doc_id: str) -> DocumentRecord | None:
        """Return the current document of that id, None when it is not there; what supersedes it is left out."""
        return self._catalogue.current(doc_id)

    def read(self, name: str, viewer: Sequence[str] | None = None) -> tuple[DocumentRecord, list[Chunk]]:
        """Return the document of that id, source or file name with its chunks in order.

        Raises UnknownDocument for one that is not there, or that the groups of the `viewer` may not see.
        """
        record = document_named(name, self.documents(viewer))
        return record, self._revisions.read(record.doc_id)

    def is_made_from(self, doc_id: str, content_hash: str) -> bool:
        """Say whether the document was made from the bytes of that SHA-256, in hexadecimal."""
        return doc_id in self._catalogue.files_of_content(content_hash)

    def fate_of(self, doc_id: str, revision: str, content_hash: str) -> Fate:
        """Say what became of a document that was read in that revision, made from a file of that SHA-256."""
        return fate_of(self._catalogue, doc_id, revision, content_hash)

    def missing(self, paths: Sequence[Path]) -> list[DocumentRecord]:
        """Return the documents whose files lay in these folders, or were these files, and are no longer there."""
        gone = missing_from(paths, self._catalogue.files)
        return [record for record in self.documents() if record.doc_id in gone] if gone else []

    @property
    def is_changing(self) -> bool:
        """Say whether a document is being brought in or taken out here, so that the legs may differ for a moment."""
        return self._writing.locked()

    def is_empty(self) -> bool:
        """Say whether there is no document at all; unlike `documents`, at the same cost for any number of them."""
        return self._catalogue.is_empty()

    def search(
        self,
        query: str,
        k: int = 5,
        mode: Mode = "hybrid",
        filters: Filters | None = None,
        viewer: Sequence[str] | None = None,
        rerank: bool = True,
        as_of: date | None = None,
    ) -> list[Hit]:
        """Return the k best hits, best first; a document with `visible_to` is found only by a viewer of those groups.

        Of several versions of a document the one in force is found, today or on the day `as_of`; an older one too when
        the filter names its `doc_id`, `source` or `version`.

        Raises SearchError for a blank question, k below 1 or an unknown mode, FilterError for a filter that cannot be,
        and NoDocuments before the first ingest.
        """
        check(query, k, mode)
        if self._catalogue.is_empty():
            raise NoDocuments("there are no documents yet; run: folio ingest PATH")

        def look(hidden: frozenset[str]) -> list[Hit]:
            where = Filter.of(with_originals(filters or {}, self._catalogue), groups_of(viewer or ()), hidden)
            return search(query, self._engine, where, k=k, mode=mode, rerank=rerank)

        by_name = as_of is None and names_a_version(filters or {})
        hits = with_copies(self._revisions.search(look, as_of, superseded_too=by_name), self._catalogue)
        return marked(hits, self._catalogue) if as_of or by_name else hits

    def why_not(
        self,
        query: str,
        document: str,
        k: int = 5,
        filters: Filters | None = None,
        viewer: Sequence[str] | None = None,
        as_of: date | None = None,
    ) -> Verdict:
        """Say where a hybrid search loses the document of that id or source.

        A `viewer` learns of a document that these groups may not see what they learn of one that is not there; None is
        the owner of the knowledge base. Raises what `search` raises.
        """
        return why_not(
            query, document, self._catalogue, self._engine, k=k, filters=filters or {}, viewer=viewer, as_of=as_of
        )

    def examine(self) -> Examination:
        """Ask every leg for passages that it must find, and compare what the parts say that they hold."""
        return examine(self._engine, self._catalogue)

    def warm(self) -> None:
        """Load what the first search needs; an embedding model behind an address is asked for one vector."""
        query_tokens("预热 warm up")
        self._check_dimension(len(self._engine.embedder.embed_query("warm up")))
        if isinstance(self._engine.reranker, OrFusedOrder):
            self._engine.reranker.warm()

    def health(self, viewer: Sequence[str] | None = None) -> dict[str, Any]:
        """Return counts of documents and of each leg, the models in use, and why the last search was not reranked.

        With a `viewer`, the counts are those of the documents that these groups may see.
        """
        reranker = self._engine.reranker
        records = self.documents(viewer)
        seen = sum(record.chunks for record in records if not record.same_as)
        return {
            "documents": len(records),
            "chunks": self._engine.store.count() if viewer is None else seen,
            "keyword_chunks": self._engine.store.count_keyword() if viewer is None else seen,
            "embed_model": self._engine.embedder.model_id,
            "rerank_model": reranker.model_id if reranker else None,
            "rerank_problem": reranker.problem if isinstance(reranker, OrFusedOrder) else None,
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
        taken, sources, written = set(), set(), set()
        model = chunk_model(self._catalogue.manifest(), self._engine.embedder)
        shape = shape_of(model, self._settings.chunking)
        with self._alone():
            try:
                with closing(readings(files, metadata, shape, self._catalogue)) as begun:
                    for done, reading in enumerate(begun):
                        given = reading.given
                        if progress:
                            progress(done, len(files), given.source)
                        try:
                            if self._take(reading, metadata, report) != "unchanged":
                                written.add(given.doc_id)
                            taken.add(given.doc_id)
                            sources.add(given.source)
                        except IndexMismatch:
                            raise  # no file is to blame, and none would get in
                        except Exception as error:  # noqa: BLE001  one bad file never stops the others
                            report.failed.append((given.source, reason(error, given.source)))
                            report.causes[given.source] = error
            finally:
                self._catalogue.note_outcome(sources, dict(report.failed))
            report.warnings += self._catalogue.doubts(written)
            report.documents = len(taken)
            report.chunks = self._catalogue.count_chunks(taken)
        return report

    def _take(self, reading: Reading, metadata: Metadata, report: IngestReport) -> Outcome:
        decision = decide(reading, metadata, self._catalogue)
        if (document := decision.document) and decision.file:
            self._check_dimension(self._engine.embedder.dimension)
            self._revisions.put(
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
            report.warnings += [(reading.given.source, warning) for warning in document.warnings]
        report.unchanged += decision.outcome == "unchanged"
        report.updated += decision.outcome == "updated"
        return decision.outcome

    def _check_dimension(self, dimension: int) -> None:
        check_dimension(self._catalogue.manifest(), dimension, self._settings)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Be the only writer: of the threads here, and of the processes that share a server."""
        with self._writing, self._catalogue.writing() if self._revisions.are_shared else nullcontext():
            if self._revisions.are_shared:
                self._revisions.check_place()
                # Only now it is sure that no other process is writing them.
                _remove_leftovers(self._catalogue, self._engine.store)
            yield


def _check_store(settings: RetrievalSettings, catalogue: Catalogue, store: Store, place: Place) -> None:
    """Raise StoreElsewhere where the store lost what the catalogue knows of; remove what no document owns."""
    if not catalogue.is_empty() and not store.count():
        raise StoreElsewhere(
            f"{place.named(settings)} is empty, though there are documents: put it back"
            + (", or correct FOLIO_QDRANT_URL" if place.kind == "server" else "")
            + f"; else remove {settings.home / 'catalogue.db'} and ingest again"
        )
    check_tokens(catalogue.manifest())
    if place.kind != "server":
        _remove_leftovers(catalogue, store)


def _remove_leftovers(catalogue: Catalogue, store: Store) -> None:
    for revision in catalogue.leftovers():
        logger.info("removing the unfinished or replaced revision %s", revision)
        store.delete_revision(revision)
        catalogue.forget(revision)
