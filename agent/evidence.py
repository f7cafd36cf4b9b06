"""The evidence ledger of one question: every passage that was found, under a short label that code resolves."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

from retrieval.hit import Hit

_LABEL_IN_TEXT = re.compile(r"[\[［【]\s*([SsＳｓ]\s*[\d０-９]+)\s*[\]］】]")


@dataclass(frozen=True, slots=True)
class Evidence:
    """One passage under its label."""

    label: str
    """`S1`, `S2`, … in the order in which passages were found."""
    hit: Hit


@dataclass(frozen=True, slots=True)
class Search:
    """One search of this question and the labels it found."""

    query: str
    labels: tuple[str, ...]


@dataclass(slots=True)
class EvidenceLedger:
    """All passages of one question, each once."""

    searches: list[Search] = field(default_factory=list)
    repeats: int = 0
    """Times that a search was refused because it was made before or because the cap was reached."""
    _by_chunk: dict[str, Evidence] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._by_chunk)

    def record(self, query: str, hits: Sequence[Hit]) -> list[Evidence]:
        """Note a search and return the evidence that it found for the first time."""
        new: list[Evidence] = []
        for hit in hits:
            if hit.chunk.chunk_id not in self._by_chunk:
                new.append(Evidence(f"S{len(self._by_chunk) + 1}", hit))
                self._by_chunk[hit.chunk.chunk_id] = new[-1]
        self.searches.append(Search(query, tuple(self._by_chunk[hit.chunk.chunk_id].label for hit in hits)))
        return new

    def already(self, query: str) -> Search | None:
        """Return the earlier search for the same words, whatever their case, width, spacing and punctuation."""
        return next((search for search in self.searches if _fold(search.query) == _fold(query)), None)

    def all(self) -> list[Evidence]:
        """Return the evidence in the order of its labels."""
        return list(self._by_chunk.values())

    def passages(self) -> dict[str, str]:
        """Return the text of each label, headings included: what an answer may rely on."""
        return {evidence.label: evidence.hit.chunk.search_text for evidence in self.all()}

    def get(self, label: str) -> Evidence:
        """Return the evidence under the label; raise KeyError when there is none."""
        return next(evidence for evidence in self.all() if evidence.label == label)


def format_passage(evidence: Evidence) -> str:
    """Return the passage as the model sees it: where it stands, then its text as a quotation.

    Every line of the text begins with `|`, so that nothing in a document can begin a line of the agent's own format,
    and labels inside the text lose their brackets.
    """
    chunk = evidence.hit.chunk
    place = ", ".join(
        part
        for part in (
            chunk.source,
            f"p. {chunk.page}" if chunk.page else "",
            f"version {chunk.version}" if chunk.version else "",
        )
        if part
    )
    lines = _without_labels(chunk.text).splitlines()
    quoted = "\n".join(f"| {line}" for line in lines)
    return f"[{evidence.label}] {_one_line(chunk.heading)} ({_one_line(place)})\n{quoted}"


def _without_labels(text: str) -> str:
    return _LABEL_IN_TEXT.sub(lambda match: f"({match[1]})", text)


def _one_line(text: str) -> str:
    return " ".join(_without_labels(text).split())


def _fold(query: str) -> str:
    folded = unicodedata.normalize("NFKC", query).casefold()
    return "".join(character for character in folded if character.isalnum())
