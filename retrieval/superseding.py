"""Which document a document means when it says that it supersedes one, and which of those words count."""

import posixpath
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence, Set
from typing import TYPE_CHECKING

from retrieval.dates import day_of

if TYPE_CHECKING:
    from retrieval.catalogue import DocumentRecord

Links = dict[str, list["DocumentRecord"]]
"""Id of a document → those that have taken its place, or will."""


class Names:
    """The documents of a knowledge base by all that people call them."""

    def __init__(self, records: Sequence["DocumentRecord"]) -> None:
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

    def meant(self, name: str, by: "DocumentRecord") -> list["DocumentRecord"]:
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

    def files(self, name: str, by: "DocumentRecord") -> list["DocumentRecord"]:
        """Return the documents, other than `by`, whose source ends in that path, with its suffix or without."""
        path = _path(name)
        ends = self._by_file.get(posixpath.basename(path), ())
        return _others((one for one in ends if _ends_in(_path(one.source), path)), by)


def links_of(records: Sequence["DocumentRecord"]) -> Links:
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


def _since(record: "DocumentRecord") -> str:
    day = day_of(record.effective_from, first=True) or day_of(record.updated_at, first=True)
    return day.isoformat() if day else ""


def _others(records: Iterable["DocumentRecord"], by: "DocumentRecord") -> list["DocumentRecord"]:
    return [record for record in records if _holder_id(record) != _holder_id(by)]


def _holder_id(record: "DocumentRecord") -> str:
    return record.same_as or record.doc_id


def _is_seen_by_all_who_see(newer: "DocumentRecord", older: "DocumentRecord") -> bool:
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
