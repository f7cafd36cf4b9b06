"""What became of a document since it was read."""

from typing import Literal

from retrieval.catalogue import Catalogue

Fate = Literal["same", "changed", "deleted", "superseded"]


def fate_of(catalogue: Catalogue, doc_id: str, revision: str, content_hash: str) -> Fate:
    """Say what became of a document that was read in that state, made from a file of that SHA-256.

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
