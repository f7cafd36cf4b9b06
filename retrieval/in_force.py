"""Which documents are in force on a day: what they say of their dates, and which has taken the place of which."""

import datetime
from collections.abc import Iterator, Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING

from retrieval.dates import period_of

if TYPE_CHECKING:
    from retrieval.catalogue import DocumentRecord


class Versions:
    """The documents of a knowledge base as versions of one another."""

    def __init__(self, records: Sequence["DocumentRecord"]) -> None:
        """Take all current documents, those that share the chunks of another among them."""
        self._records = {record.doc_id: record for record in records}
        self._naming: dict[str, list[DocumentRecord]] = {}
        for record in records:
            for name in () if record.same_as else record.supersedes:
                self._naming.setdefault(name, []).append(record)

    def not_in_force(self, as_of: datetime.date | None = None, today: datetime.date | None = None) -> set[str]:
        """Return the states of which a search must see nothing; of copies, the state that has the chunks.

        Without `as_of`, those that another document has superseded, and those that will supersede one but not yet:
        of two versions exactly one is left. Their other dates are not trusted unasked, since a text that says
        "valid until" of something else would be gone. With `as_of`, all but those that were in force on that day.
        """
        day = as_of or today or datetime.date.today()
        replacing = {newer.doc_id for record in self._records.values() for newer in self._newer(record)}
        return {
            self._holder(record).revision
            for record in self._records.values()
            if self._is_out(record, day, strictly=as_of is not None, replaces=self._holder(record).doc_id in replacing)
        }

    def superseded_by(self, record: "DocumentRecord", day: datetime.date, *, strictly: bool = False) -> str | None:
        """Return the source of the document that has taken the place of this one by that day, the latest of several."""
        begun = [(start, newer.source) for newer in self._newer(record) if (start := _start(newer, strictly)) <= day]
        return max(begun)[1] if begun else None

    def _is_out(self, record: "DocumentRecord", day: datetime.date, *, strictly: bool, replaces: bool) -> bool:
        if self.superseded_by(record, day, strictly=strictly):
            return True
        if replaces and _start(record, strictly) > day:
            return True
        period = (_day(record.effective_from, first=True), _day(record.effective_to, first=False))
        return strictly and not (period[0] or datetime.date.min) <= day <= (period[1] or datetime.date.max)

    def _newer(self, record: "DocumentRecord") -> Iterator["DocumentRecord"]:
        """Yield the documents that say that they supersede this one, and may: nobody must lose a document by it."""
        for name in dict.fromkeys((record.source, Path(record.source).name, record.title, record.doc_id)):
            for newer in self._naming.get(name, ()):
                # Never the document whose chunks it has.
                if newer.doc_id != self._holder(record).doc_id and _is_seen_by_all_who_see(newer, record):
                    yield newer

    def _holder(self, record: "DocumentRecord") -> "DocumentRecord":
        return self._records[record.same_as or record.doc_id]


def _start(newer: "DocumentRecord", strictly: bool) -> datetime.date:
    """Return since when a document supersedes others; asked for a day, the date of the document is the best guess."""
    start = _day(newer.effective_from, first=True)
    if start is None and strictly:
        start = _day(newer.updated_at, first=True)
    return start or datetime.date.min


def _day(written: str | None, *, first: bool) -> datetime.date | None:
    period = period_of(written) if written else None
    if period is None:
        return None
    return period.first if first else period.last


def _is_seen_by_all_who_see(newer: "DocumentRecord", older: "DocumentRecord") -> bool:
    """Say whether nobody loses a document: a restricted draft does not take a public one away from the others."""
    groups: Set[str] = set(newer.visible_to)
    return not groups or bool(older.visible_to and set(older.visible_to) <= groups)
