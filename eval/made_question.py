"""A question made from a document, without a model."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class MadeQuestion:
    """One line of queries.jsonl to be."""

    query: str
    kind: str
    """`cloze`, `title`, `table`, `identifier` or `near_miss`."""
    lang: str
    file: str
    """Document it was made from."""
    answer: str = ""
    """Stands in the document; empty for what cannot be answered."""
    must_contain: tuple[str, ...] = ()
    absent: str = ""
    """For a near miss: what the question asks about and no document has."""

    def as_line(self, query_id: str) -> dict[str, Any]:
        """Return the fields that a set has."""
        line: dict[str, Any] = {
            "query_id": query_id,
            "query": self.query,
            "lang": self.lang,
            "answers": [self.answer] if self.answer else [],
            "answerable": bool(self.answer),
            "gold_doc_file": [self.file] if self.answer else [],
            "type": self.kind,
        }
        if self.must_contain:
            line["must_also_contain"] = list(self.must_contain)
        if self.absent:
            line["absent"] = self.absent
            line["note"] = f"near miss, made from {self.file}: {self.absent!r} is in no document"
        return line
