"""Which documents are in force on a day: what they say of their dates, and which has taken the place of which."""

import datetime
import re
from collections.abc import Iterator, Sequence, Set
from typing import TYPE_CHECKING

from retrieval.dates import day_of
from retrieval.superseding import Names, links_of

if TYPE_CHECKING:
    from retrieval.catalogue import DocumentRecord

_FILE = re.compile(r"\.[a-z]{2,4}$", re.IGNORECASE)
"""The end of a name that is that of a file; texts name documents by their titles, which mostly are not there."""


class Versions:
    """The documents of a knowledge base as versions of one another."""

    def __init__(self, records: Sequence["DocumentRecord"]) -> None:
        """Take all current documents, those that share the chunks of another among them."""
        self._records = {record.doc_id: record for record in records}
        self._newer = links_of(records) if any(record.supersedes for record in records) else {}

    def not_in_force(self, as_of: datetime.date | None = None, today: datetime.date | None = None) -> set[str]:
        """Return the states of which a search must see nothing; of copies, the state that has the chunks.

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

    def superseded_by(self, record: "DocumentRecord", day: datetime.date, *, strictly: bool = False) -> str | None:
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

    def _is_out(self, record: "DocumentRecord", day: datetime.date, *, strictly: bool, replaces: bool) -> bool:
        if self.superseded_by(record, day, strictly=strictly):
            return True
        if replaces and _start(record, strictly) > day:
            return True
        period = (day_of(record.effective_from, first=True), day_of(record.effective_to, first=False))
        return strictly and not (period[0] or datetime.date.min) <= day <= (period[1] or datetime.date.max)

    def _holder(self, record: "DocumentRecord") -> "DocumentRecord":
        return self._records[record.same_as or record.doc_id]


def _start(newer: "DocumentRecord", strictly: bool) -> datetime.date:
    """Return since when a document supersedes others; asked for a day, the date of the document is the best guess."""
    start = day_of(newer.effective_from, first=True)
    if start is None and strictly:
        start = day_of(newer.updated_at, first=True)
    return start or datetime.date.min
