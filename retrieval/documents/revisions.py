"""Revisions of documents: written hidden, made current in one step, and only then is the old one removed."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date

from preprocessing.document import Chunk, Document
from preprocessing.errors import FolioError
from preprocessing.prepare import chunk_id
from retrieval.documents.catalogue import Catalogue
from retrieval.documents.manifest import Place, StoreElsewhere
from retrieval.documents.schema import DocumentRecord, FileState
from retrieval.embed.embedder import Vectors
from retrieval.hit import Hit
from retrieval.search import Engine

Make = Callable[[], tuple[list[Chunk], Vectors]]

_LOOKS = 3


class StoreLost(FolioError):
    """The store does not hold what was written to it."""


@dataclass(frozen=True, slots=True)
class _View:
    """What a search began with; another one means that documents were changed meanwhile."""

    generation: int
    hidden: frozenset[str]


class Revisions:
    """Writes and removes revisions; one writer at a time, while any number of searches go on.

    Every step is one transaction of the catalogue, so that a crash between any two leaves whole revisions to be found.
    """

    def __init__(self, catalogue: Catalogue, engine: Engine, place: Place) -> None:
        self._catalogue = catalogue
        self._engine = engine
        self._place = place
        self._readers = Readers()
        self._hidden = HiddenRevisions(catalogue)

    @property
    def are_shared(self) -> bool:
        """Say whether other processes may change them."""
        return self._place.kind == "server"

    def search(
        self, look: Callable[[frozenset[str]], list[Hit]], as_of: date | None = None, *, superseded_too: bool = False
    ) -> list[Hit]:
        """Return what `look`, given the revisions that it must not see, finds in the others while nothing changes.

        Not to be seen is what is not in force on the day, today's unless one is given; with `superseded_too` no more
        than what is not current. What this process changes waits for its own searches. Of another process it is found
        out afterwards, and looked again; after a few times what is hidden by then is left out.
        """
        hits: list[Hit] = []
        for _ in range(_LOOKS):
            with self._readers.reading():
                view = self._view(as_of, superseded_too)
                hits = look(view.hidden)
            if not self.are_shared or self._view(as_of, superseded_too) == view:
                return hits
        hidden = self._view(as_of, superseded_too).hidden
        return [hit for hit in hits if hit.chunk.revision not in hidden]

    def read(self, doc_id: str) -> list[Chunk]:
        """Return the chunks of the current revision of a document by index; none when it is not there."""
        for _ in range(_LOOKS):
            with self._readers.reading():
                holder = self._original(doc_id)
                chunks = self._engine.store.read_revision(holder.revision)[0] if holder else []
            # Of another process it is found out afterwards that it has replaced the revision.
            if chunks or holder is None:
                return chunks
        return []

    def check_place(self) -> None:
        """Raise StoreElsewhere when another process has moved the documents."""
        self._view()

    def _view(self, as_of: date | None = None, superseded_too: bool = False) -> "_View":
        if not self.are_shared and as_of is None and not superseded_too:
            return _View(0, self._hidden.now())
        manifest = self._catalogue.manifest()
        if self.are_shared and Place.recorded(manifest) != self._place:
            raise StoreElsewhere("the documents were moved by folio reindex or folio migrate: start this process again")
        hidden = self._catalogue.hidden_revisions(as_of, superseded_too=superseded_too)
        return _View(manifest.get("generation", 0), hidden)

    def put(
        self,
        document: Document,
        revision: str,
        file: FileState,
        make: Make,
        *,
        twin: str | None = None,
        renamed_from: str | None = None,
    ) -> None:
        """Make this revision of the document current, in place of its last one and of the one it was renamed from.

        With a `twin`, a document of the same fingerprint, its chunks are shared or taken over and `make` not called.
        """
        ended = [doc_id for doc_id in (document.doc_id, renamed_from) if doc_id]
        for doc_id in ended:
            self._hand_over(doc_id)
        old = [record for doc_id in ended if (record := self._catalogue.current(doc_id)) and not record.same_as]
        original = self._original(twin) if twin else None
        if original and original.doc_id not in ended:
            self._catalogue.share(document, revision, original.doc_id, file, renamed_from)
        else:
            self._catalogue.begin(document, revision)
            self._write(
                revision,
                self._relabelled(original, document, revision) if original else make,
                lambda chunks: self._catalogue.commit(document.doc_id, revision, chunks, file, renamed_from),
            )
        self._remove(*(record.revision for record in old))

    def delete(self, record: DocumentRecord) -> None:
        """Remove a document from both legs; one that shares its chunks keeps them."""
        self._hand_over(record.doc_id)
        left = self._catalogue.current(record.doc_id) or record
        self._catalogue.retire(left.doc_id)
        self._remove(*([] if left.same_as else [left.revision]))

    def _hand_over(self, doc_id: str) -> None:
        """Give the chunks of a document that has copies to one of them."""
        original, copies = self._catalogue.current(doc_id), self._catalogue.copies_of(doc_id)
        if not original or not copies:
            return
        heir = copies[0]
        self._catalogue.begin_hand_over(heir)
        self._write(
            heir.revision,
            self._relabelled(original, heir, heir.revision),
            lambda _chunks: self._catalogue.hand_over(original, heir),
        )
        self._remove(original.revision)

    def _original(self, doc_id: str) -> DocumentRecord | None:
        record = self._catalogue.current(doc_id)
        return self._catalogue.current(record.same_as) if record and record.same_as else record

    def _relabelled(self, original: DocumentRecord, heir: Document | DocumentRecord, revision: str) -> Make:
        """Return what reads the chunks of a document as those of another, with the vectors they have."""

        def read() -> tuple[list[Chunk], Vectors]:
            chunks, vectors = self._engine.store.read_revision(original.revision)
            named = [
                replace(
                    chunk,
                    chunk_id=chunk_id(heir.doc_id, revision, chunk.index),
                    doc_id=heir.doc_id,
                    revision=revision,
                    source=heir.source,
                    updated_at=heir.updated_at,
                )
                for chunk in chunks
            ]
            return named, vectors

        return read

    def _write(self, revision: str, make: Make, make_current: Callable[[int], None]) -> None:
        """Write the chunks of a revision that has been begun, and make it current; leave nothing of it on failure."""
        self._hidden.refresh()
        try:
            chunks, vectors = make()
            if not chunks:
                raise FolioError("nothing is left to search after cleaning")
            # A search that began before the revision did does not know that it must not see it.
            self._readers.wait_for_earlier()
            self._engine.store.upsert(chunks, vectors)
            # A server of another version may take a request and keep nothing of it.
            if (held := self._engine.store.count(revision)) != len(chunks):
                raise StoreLost(f"the store holds {held} of its {len(chunks)} chunks after they were written")
            make_current(len(chunks))
        except BaseException:
            self._remove(revision)
            raise
        self._hidden.refresh()

    def _remove(self, *revisions: str) -> None:
        """Take hidden revisions out of both legs, once no search is left that began when they could be seen."""
        self._hidden.refresh()
        if revisions:
            self._readers.wait_for_earlier()
        for revision in revisions:
            self._engine.store.delete_revision(revision)
            self._catalogue.forget(revision)
        self._hidden.refresh()


class HiddenRevisions:
    """The hidden revisions of a catalogue that this process alone changes, kept until it does or the day ends."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._lock = threading.Lock()
        self._changes = 0
        self._kept: tuple[date, frozenset[str]] | None = None

    def refresh(self) -> None:
        """Note that documents were changed; a search that begins from now on sees it."""
        hidden = date.today(), self._catalogue.hidden_revisions()
        with self._lock:
            self._changes += 1
            self._kept = hidden

    def now(self) -> frozenset[str]:
        """Return what is hidden today."""
        kept, changes, today = self._kept, self._changes, date.today()
        if kept is None or kept[0] != today:
            # A version may come into force without a change.
            kept = today, self._catalogue.hidden_revisions()
            with self._lock:
                # What was read before a change must not be kept after it.
                if changes == self._changes:
                    self._kept = kept
        return kept[1]


class Readers:
    """Counts readers by the epoch they began in.

    A writer waits for those of earlier epochs only, so it never starves.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._epoch = 0
        self._running: Counter[int] = Counter()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Count as a reader of the present epoch."""
        with self._changed:
            epoch = self._epoch
            self._running[epoch] += 1
        try:
            yield
        finally:
            with self._changed:
                self._running[epoch] -= 1
                if not self._running[epoch]:
                    del self._running[epoch]
                self._changed.notify_all()

    def wait_for_earlier(self) -> None:
        """Return when every reader that began before this call has ended; later ones are not waited for."""
        with self._changed:
            before = self._epoch
            self._epoch += 1
            self._changed.wait_for(lambda: all(epoch > before for epoch in self._running))
