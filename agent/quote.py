"""Choose the words of the documents that answer a question: the best sentences or table rows, as they stand."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from retrieval.embed.base import Embedder
from retrieval.numerals import NUMERAL
from retrieval.tokens import STOP_TOKENS, query_tokens, tokenize

MAX_QUOTES = 2
MAX_UNITS = 48
"""Sentences that are encoded for one question; more would make a person wait."""

SIMILARITY_WEIGHT, COVERAGE_WEIGHT, QUANTITY_WEIGHT, PLACE_WEIGHT = 1.0, 0.5, 0.1, 0.02
SECOND_MARGIN = 0.15
"""How far the second quotation may score below the first."""
MIN_SIMILARITY = 0.2
"""Least scaled similarity of an answer: 0 is that of unrelated texts, 1 of equal ones."""
MIN_COVERAGE = 0.34
"""Least share of the question's words, weighted by rarity, in an answer of the same language."""

_SENTENCE = re.compile(r".+?(?:[。！？!?；;]+[”’」』）)\]]*|(?<=[A-Za-z0-9)\]])\.(?=\s|$)|$)", re.DOTALL)
_RULE_ROW = re.compile(r"\s*\|?[\s:|-]+\|?\s*")
_LIST_ITEM = re.compile(r"\s*(?:[-*+•]|\d+[.)、])\s+")
_CODE = re.compile(r"[a-z]+[-_ ]?\d{2,}(?:[-_.]\d+)*|\d{4,}", re.IGNORECASE)
_ASKS_QUANTITY = re.compile(r"多少|几[天个次年月元级种份小点岁倍]|多久|多长|多大|\bhow (?:much|many|long|often|old|far|big)\b", re.I)
_QUANTITY = re.compile(rf"\d|[{NUMERAL}]+[天日个次年月元级小周倍]|\b(?:one|two|three|four|five|six|ten|twelve|once|twice)\b", re.I)


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage that may be quoted."""

    label: str
    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of a passage, as they stand there; a table row with its header."""

    label: str
    text: str
    score: float


@dataclass(frozen=True, slots=True)
class Unit:
    """The least that can be quoted: a sentence, a list item, or a table row."""

    text: str
    """As it stands in the text."""
    header: str = ""
    """Header of the table that the row stands in."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A unit in its passage, with how well it fits the question."""

    passage: Passage
    place: int
    """Rank of its passage, from 0."""
    unit: Unit
    coverage: float = 0.0
    """Share of the question's words, weighted by rarity, that stand in it or above it; 0 to 1."""
    similarity: float = 0.0
    """Cosine to the question on the scale where unrelated texts are 0 and equal ones 1."""
    quantity: bool = False
    """It holds a number, and the question asks for one."""

    @property
    def in_context(self) -> str:
        """Return headings, table header and text: what the unit means where it stands."""
        return "\n".join(part for part in (self.passage.heading, self.unit.header, self.unit.text) if part)

    @property
    def score(self) -> float:
        """Return how well the unit fits the question."""
        return (
            SIMILARITY_WEIGHT * self.similarity
            + COVERAGE_WEIGHT * self.coverage
            + QUANTITY_WEIGHT * self.quantity
            - PLACE_WEIGHT * self.place
        )


@dataclass(frozen=True, slots=True)
class Quoter:
    """Chooses quotations with an embedder."""

    embedder: Embedder
    unrelated: Callable[[], float]
    """Returns the median cosine of unrelated texts under the embedder."""

    def choose(self, question: str, passages: Sequence[Passage]) -> list[Quote]:
        """Return at most two quotations that answer the question, best first; none when the passages do not hold it."""
        ranked = self.rank(question, passages)
        if not ranked or not answers(question, ranked[0], passages):
            return []
        chosen = [one for one in ranked[:MAX_QUOTES] if one.score >= ranked[0].score - SECOND_MARGIN]
        return [Quote(one.passage.label, quotation(one.unit), one.score) for one in chosen]

    def rank(self, question: str, passages: Sequence[Passage]) -> list[Candidate]:
        """Return the units of the passages, best first.

        A unit is scored by its embedding's cosine to the question and by the words of the question that it holds.
        """
        found = [
            Candidate(passage, place, unit)
            for place, passage in enumerate(passages)
            for unit in split_units(passage.text)
        ]
        words = _weights(question, found)
        asks_quantity = bool(_ASKS_QUANTITY.search(question))
        covered = [
            Candidate(
                one.passage,
                one.place,
                one.unit,
                _coverage(words, one.in_context),
                quantity=asks_quantity and bool(_QUANTITY.search(one.unit.text)),
            )
            for one in found
        ]
        kept = sorted(covered, key=lambda one: one.place - 4 * one.coverage)[:MAX_UNITS]
        if not kept:
            return []
        cosines = self.embedder.embed_passages([one.in_context for one in kept]) @ self.embedder.embed_query(question)
        unrelated = self.unrelated()
        scaled = (cosines - unrelated) / max(1 - unrelated, 1e-6)
        candidates = [
            Candidate(one.passage, one.place, one.unit, one.coverage, float(similarity), one.quantity)
            for one, similarity in zip(kept, scaled, strict=True)
        ]
        return sorted(candidates, key=lambda one: -one.score)


def answers(question: str, best: Candidate, passages: Sequence[Passage]) -> bool:
    """Judge whether the best unit is about what was asked: codes must stand in the evidence, and most words too."""
    evidence = _fold(" ".join(f"{passage.heading} {passage.text}" for passage in passages))
    if any(_fold(code) not in evidence for code in _CODE.findall(question)):
        return False
    crosses_languages = _is_han(question) != _is_han(best.unit.text)
    return best.similarity >= MIN_SIMILARITY and (crosses_languages or best.coverage >= MIN_COVERAGE)


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


def quotation(unit: Unit) -> str:
    """Return the unit as it is quoted; a table row is nothing without its header."""
    if not unit.header:
        return unit.text
    rule = "|" + " --- |" * (unit.header.count("|") - 1)
    return f"{unit.header}\n{rule}\n{unit.text}"


def _weights(question: str, candidates: Sequence[Candidate]) -> dict[str, float]:
    """Weigh each word of the question by how few of the candidates hold it."""
    frequencies = Counter(token for one in candidates for token in set(tokenize(one.in_context)))
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
