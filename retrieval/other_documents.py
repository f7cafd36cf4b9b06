"""What a search owes to documents besides those whose chunks it finds: copies, and other versions."""

from collections.abc import Sequence
from dataclasses import replace

from retrieval.catalogue import Catalogue
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
