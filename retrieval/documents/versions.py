"""Which documents are in force on a day: what they say of their dates, and which has taken the place of which."""

import datetime
import posixpath
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set

from retrieval.documents.schema import DocumentRecord
from retrieval.text.dates import day_of

_FILE = re.compile(r"\.[a-z]{2,4}$", re.IGNORECASE)
"""The end of a name that is that of a file; texts name documents by their titles, which mostly are not there."""


class Versions:
    """The documents of a knowledge base as versions of one another."""

    def __init__(self, records: Sequence[DocumentRecord]) -> None:
        """Take all current documents, those that share the chunks of another among them."""
        self._records = {record.doc_id: record for record in records}
        self._newer = links_of(records) if any(record.supersedes for record in records) else {}

    def not_in_force(self, as_of: datetime.date | None = None, today: datetime.date | None = None) -> set[str]:
        """Return the revisions of which a search must see nothing; of copies, the revision that has the chunks.

        Without `as_of`, those that another document has superseded, and those that will supersede one but not yet:
        of two versions exactly one is left. Their other dates are not trusted unasked, since a text that says
        "valid until" of something else would be gone. With `as_of`, all but those that were in force on that day.
        """
        day = as_of or today or datetime.date.today()
        replacing = {newer.doc_id for newer_ones in self._newer.values() for newer in newer_ones}
        return {
            self._holder(record).revision
            for record in self._records.values()
            if self._is_out(record, day, strictly=as_of is not None, replaces=self._holder(record).doc_id in replacing)
        }

    def superseded_by(self, record: DocumentRecord, day: datetime.date, *, strictly: bool = False) -> str | None:
        """Return the source of the document that has taken the place of this one by that day, the latest of several."""
        newer_ones = self._newer.get(record.doc_id, ())
        begun = [(start, newer.source) for newer in newer_ones if (start := _start(newer, strictly)) <= day]
        return max(begun)[1] if begun else None

    def doubts(self, doc_ids: Set[str]) -> Iterator[tuple[str, str]]:
        """Yield (source, what to tell a person) where what these documents say of their versions has no effect."""
        names = Names(list(self._records.values()))
        for record in (self._records[doc_id] for doc_id in doc_ids if doc_id in self._records):
            for key in ("effective_from", "effective_to"):
                written = getattr(record, key)
                if written and day_of(written, first=True) is None:
                    yield record.source, f"{key} {written!r} is no date and was left out; a right one is 2024-01-31"
            for name in record.supersedes:
                if _FILE.search(name) and not names.meant(name, record):
                    several = ", ".join(sorted(one.source for one in names.files(name, record)))
                    what = f"may be {several}: write its whole path" if several else "is not in the knowledge base"
                    yield record.source, f"supersedes {name!r}, which {what}"

    def _is_out(self, record: DocumentRecord, day: datetime.date, *, strictly: bool, replaces: bool) -> bool:
        if self.superseded_by(record, day, strictly=strictly):
            return True
        if replaces and _start(record, strictly) > day:
            return True
        period = (day_of(record.effective_from, first=True), day_of(record.effective_to, first=False))
        return strictly and not (period[0] or datetime.date.min) <= day <= (period[1] or datetime.date.max)

    def _holder(self, record: DocumentRecord) -> DocumentRecord:
        return self._records[record.same_as or record.doc_id]


def _start(newer: DocumentRecord, strictly: bool) -> datetime.date:
    """Return since when a document supersedes others; asked for a day, the date of the document is the best guess."""
    start = day_of(newer.effective_from, first=True)
    if start is None and strictly:
        start = day_of(newer.updated_at, first=True)
    return start or datetime.date.min


Links = dict[str, list[DocumentRecord]]
"""Id of a document → those that have taken its place, or will."""


class Names:
    """The documents of a knowledge base by all that people call them."""

    def __init__(self, records: Sequence[DocumentRecord]) -> None:
        """Take all current documents."""
        self._exactly: dict[str, list[DocumentRecord]] = defaultdict(list)
        self._by_file: dict[str, list[DocumentRecord]] = defaultdict(list)
        self._by_title: dict[str, list[DocumentRecord]] = defaultdict(list)
        for record in records:
            source = _path(record.source)
            self._exactly[record.doc_id].append(record)
            self._exactly[source].append(record)
            for file in {posixpath.basename(source), _stem(posixpath.basename(source))}:
                self._by_file[file].append(record)
            self._by_title[_text(record.title)].append(record)

    def meant(self, name: str, by: DocumentRecord) -> list[DocumentRecord]:
        """Return the documents that a name stands for where `by` uses it; never itself or the one whose chunks it has.

        In this order: an id or the whole source, a path from the folder of `by`, the end of a path, a title. Where
        that is the end of several, it means none of them, unless all are copies of one.
        """
        path = _path(name)
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(_path(by.source)), path))
        for found in (self._exactly.get(path, ()), self._exactly.get(beside, ()), self.files(name, by)):
            others = _others(found, by)
            if len(set(map(_holder_id, others))) == 1:
                return others
        return _others(self._by_title.get(_text(name), ()), by)

    def files(self, name: str, by: DocumentRecord) -> list[DocumentRecord]:
        """Return the documents, other than `by`, whose source ends in that path, with its suffix or without."""
        path = _path(name)
        ends = self._by_file.get(posixpath.basename(path), ())
        return _others((one for one in ends if _ends_in(_path(one.source), path)), by)


def links_of(records: Sequence[DocumentRecord]) -> Links:
    """Return what supersedes what: nobody may lose a document by it, neither to one that they cannot see nor to none.

    Of documents that supersede each other, as two editions do that both repeal a title that they share, only the later
    one does.
    """
    names = Names(records)
    links: Links = {}
    for newer in records:
        for name in () if newer.same_as else newer.supersedes:
            for older in names.meant(name, newer):
                known = links.setdefault(older.doc_id, [])
                if newer not in known and _is_seen_by_all_who_see(newer, older):
                    known.append(newer)
    holders = {record.doc_id: _holder_id(record) for record in records}
    begun = {record.doc_id: _since(record) for record in records}
    above: dict[str, set[str]] = defaultdict(set)
    for doc_id, newer_ones in links.items():
        above[holders[doc_id]].update(newer.doc_id for newer in newer_ones)
    return {
        doc_id: [
            newer
            for newer in newer_ones
            if begun[newer.doc_id] > begun[holders[doc_id]] or holders[doc_id] not in _all_above(newer.doc_id, above)
        ]
        for doc_id, newer_ones in links.items()
    }


def _all_above(doc_id: str, above: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    left = [doc_id]
    while left:
        new = above.get(left.pop(), set()) - found
        found |= new
        left += new
    return found


def _since(record: DocumentRecord) -> str:
    day = day_of(record.effective_from, first=True) or day_of(record.updated_at, first=True)
    return day.isoformat() if day else ""


def _others(records: Iterable[DocumentRecord], by: DocumentRecord) -> list[DocumentRecord]:
    return [record for record in records if _holder_id(record) != _holder_id(by)]


def _holder_id(record: DocumentRecord) -> str:
    return record.same_as or record.doc_id


def _is_seen_by_all_who_see(newer: DocumentRecord, older: DocumentRecord) -> bool:
    """Say whether nobody loses a document: a restricted draft does not take a public one away from the others."""
    groups: Set[str] = set(newer.visible_to)
    return not groups or bool(older.visible_to and set(older.visible_to) <= groups)


def _path(name: str) -> str:
    return posixpath.normpath(_text(name).replace("\\", "/")) if name.strip() else ""


def _text(name: str) -> str:
    # File names are written decomposed on some systems.
    return unicodedata.normalize("NFC", name.strip())


def _stem(file: str) -> str:
    return posixpath.splitext(file)[0]


def _ends_in(source: str, path: str) -> bool:
    return any(f"/{whole}".endswith(f"/{path}") for whole in (source, _stem(source)))
