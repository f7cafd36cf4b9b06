"""What a search and an answer owe to documents besides those found: copies, versions, what became of them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from retrieval.documents.catalogue import Catalogue
from retrieval.filters import Filters, matches, split_wanted
from retrieval.hit import Hit
from retrieval.near_duplicates import with_sources

_NAMES_VERSION = ("doc_id", "source", "version")


def names_a_version(filters: Filters) -> bool:
    """Say whether the filter names documents, so that a superseded one is asked for on purpose."""
    named = [split_wanted(key, filters[key]) for key in _NAMES_VERSION if key in filters]
    return any(not beginnings for _, beginnings in named)


def with_originals(filters: Filters, catalogue: Catalogue) -> Filters:
    """Let a filter by document find the chunks of a copy, which carry the names of its original."""
    equals = dict(filters)
    for key in {"doc_id", "source"} & equals.keys():
        records = {record.doc_id: record for record in catalogue.documents()}
        copies = [record for record in records.values() if record.same_as]
        originals = [records[r.same_as or ""] for r in copies if matches(key, [getattr(r, key)], equals[key])]
        equals[key] = (*equals[key], *(getattr(original, key) for original in originals))
    return equals


def with_copies(hits: Sequence[Hit], catalogue: Catalogue) -> list[Hit]:
    """Name the copies of the documents that are found, which share their chunks and may be seen by the same people."""
    copies = catalogue.copies_by_source({source for hit in hits for source in (hit.chunk.source, *hit.also_in)})
    return [
        with_sources(hit, [copy for source in (hit.chunk.source, *hit.also_in) for copy in copies.get(source, ())])
        for hit in hits
    ]


def marked(hits: Sequence[Hit], catalogue: Catalogue) -> list[Hit]:
    """Name the document that has taken the place of a superseded one by today."""
    newer = {record.doc_id: record.superseded_by for record in catalogue.documents()}
    return [replace(hit, superseded_by=newer.get(hit.chunk.doc_id)) for hit in hits]


Fate = Literal["same", "changed", "deleted", "superseded"]


def fate_of(catalogue: Catalogue, doc_id: str, revision: str, content_hash: str) -> Fate:
    """Say what became of a document that was read in that revision, made from a file of that SHA-256.

    One that was chunked anew, or whose content is in under another name, is the same.
    """
    record = catalogue.current(doc_id)
    with_content = catalogue.files_of_content(content_hash)
    if record is None:
        return "same" if with_content else "deleted"
    if doc_id not in with_content and record.revision != revision:
        return "changed"
    holder = (catalogue.current(record.same_as) or record) if record.same_as else record
    if holder.revision in catalogue.hidden_revisions():
        records = {one.doc_id: one for one in catalogue.documents()}
        if records[doc_id].superseded_by:
            return "superseded"
    return "same"
