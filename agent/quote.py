"""Choose the words of the documents that answer a question: the best sentences or table rows, as they stand."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from retrieval.embed.base import Embedder
from retrieval.tokens import STOP_TOKENS, query_tokens, tokenize

MAX_QUOTES = 2
MAX_UNITS = 48
"""Sentences that are encoded for one question; more would make a person wait."""

_SENTENCE = re.compile(r".+?(?:[。！？!?；;]+[”’」』）)\]]*|(?<=[a-z0-9)\]])\.(?=\s|$)|$)", re.DOTALL)
_RULE_ROW = re.compile(r"\s*\|?[\s:|-]+\|?\s*")
_LIST_ITEM = re.compile(r"\s*(?:[-*+•]|\d+[.)、])\s+")
_CODE = re.compile(r"[a-z]+[-_ ]?\d{2,}(?:[-_.]\d+)*|\d{4,}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage that may be quoted."""

    label: str
    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of a passage, as they stand there."""

    label: str
    text: str
    score: float


@dataclass(frozen=True, slots=True)
class Unit:
    """The least that can be quoted: a sentence, a list item, a line of code, or a table row."""

    text: str
    """As it stands in the text."""
    header: str = ""
    """Header of the table that the row stands in."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    passage: Passage
    place: int
    """Rank of its passage, from 0."""
    unit: Unit

    @property
    def in_context(self) -> str:
        """Headings, table header and text: what the unit means where it stands."""
        return "\n".join(part for part in (self.passage.heading, self.unit.header, self.unit.text) if part)

    @property
    def quotation(self) -> str:
        return f"{self.unit.header}\n{self.unit.text}" if self.unit.header else self.unit.text


def choose_quotes(question: str, passages: Sequence[Passage], embedder: Embedder) -> list[Quote]:
    """Return at most two quotations that answer the question, best first; none when the passages do not hold it.

    A unit is a sentence, a list item, or a table row with its header. It is scored by the cosine of its embedding
    with that of the question and by the share of the question's words, weighted by rarity, that it holds.
    """
    candidates = [
        _Candidate(passage, place, unit) for place, passage in enumerate(passages) for unit in split_units(passage.text)
    ]
    if not candidates:
        return []
    words = _weights(question, candidates)
    covered = {candidate: _coverage(words, candidate.in_context) for candidate in candidates}
    kept = sorted(candidates, key=lambda candidate: candidate.place - 4 * covered[candidate])[:MAX_UNITS]
    cosines = embedder.embed_passages([candidate.in_context for candidate in kept]) @ embedder.embed_query(question)
    similarity = dict(zip(kept, map(float, cosines), strict=True))
    score = {candidate: _score(similarity[candidate], covered[candidate], candidate.place) for candidate in kept}
    ranked = sorted(kept, key=lambda candidate: -score[candidate])
    best = ranked[0]
    if not answers(question, best.unit.text, covered[best], similarity[best], passages):
        return []
    chosen = [best, *(other for other in ranked[1:MAX_QUOTES] if score[other] >= score[best] - SECOND_MARGIN)]
    return [Quote(candidate.passage.label, candidate.quotation, score[candidate]) for candidate in chosen]


SECOND_MARGIN = 0.08
MIN_SIMILARITY = 0.80
MIN_COVERAGE = 0.34


def answers(question: str, text: str, coverage: float, similarity: float, passages: Sequence[Passage]) -> bool:
    """Judge whether the best unit is about what was asked: codes must stand in the evidence, and most words too."""
    evidence = _fold(" ".join(f"{passage.heading} {passage.text}" for passage in passages))
    codes = [_fold(match) for match in _CODE.findall(question)]
    if any(code not in evidence for code in codes):
        return False
    crosses = _is_han(question) != _is_han(text)
    return similarity >= MIN_SIMILARITY and (crosses or coverage >= MIN_COVERAGE)


def _score(similarity: float, coverage: float, place: int) -> float:
    # Cosines of e5 lie between 0.7 and 0.95; stretched, they weigh about as much as the words.
    return 2.5 * (similarity - 0.7) + 0.5 * coverage - 0.02 * place


def split_units(text: str) -> list[Unit]:
    """Return the units of a passage in order."""
    units: list[Unit] = []
    header = ""
    for line in text.splitlines():
        stripped = line.strip()
        if stripped.startswith("|"):
            if not _RULE_ROW.fullmatch(line):
                units += [Unit(stripped, header)] if header else []
                header = header or stripped
            continue
        header = ""
        if _LIST_ITEM.match(line):
            units.append(Unit(stripped))
        elif stripped:
            sentences = (match[0].strip() for match in _SENTENCE.finditer(stripped))
            units += [Unit(sentence) for sentence in sentences if sentence]
    return units


def _weights(question: str, candidates: Sequence[_Candidate]) -> dict[str, float]:
    """Weigh each word of the question by how few of the candidates hold it."""
    frequencies = Counter(token for candidate in candidates for token in set(tokenize(candidate.in_context)))
    tokens = {token for token in query_tokens(question) if token not in STOP_TOKENS}
    return {token: float(np.log(1 + len(candidates) / (1 + frequencies[token]))) for token in tokens}


def _coverage(words: dict[str, float], text: str) -> float:
    total = sum(words.values())
    held = set(tokenize(text))
    return sum(weight for word, weight in words.items() if word in held) / total if total else 0.0


def _fold(text: str) -> str:
    return re.sub(r"[\s_-]+", "", unicodedata.normalize("NFKC", text).casefold())


def _is_han(text: str) -> bool:
    return bool(re.search(r"[\u3400-\u9fff]", text))
