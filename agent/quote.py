"""Choose the words of the documents that answer a question: the best sentences or table rows, as they stand."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Protocol

from agent.facts.normal import folded
from agent.language import Language, language_of
from agent.specifics import missing_specifics
from retrieval.embed.base import Embedder
from retrieval.numerals import NUMERAL
from retrieval.tokens import STOP_TOKENS, tokenize

MAX_QUOTES = 2
MAX_UNITS = 48
"""Sentences that are encoded for one question; more would make a person wait."""

SIMILARITY_WEIGHT, COVERAGE_WEIGHT, QUANTITY_WEIGHT, PLACE_WEIGHT = 1.0, 0.5, 0.15, 0.02
SECOND_MARGIN = 0.15
"""How far the second quotation may score below the first."""
MIN_SIMILARITY: Mapping[Language, float] = MappingProxyType({"zh": 0.25, "en": 0.1})
"""Least scaled similarity of an answer to its question: 0 is that of unrelated texts, 1 of equal ones.

Chosen on `zh_policy` and `handbook_en` so that no right quotation is lost there.
"""
MIN_SIMILARITY_ACROSS = -0.1
"""The same where question and answer are of two languages, which lie further apart."""

_SENTENCE = re.compile(r".+?(?:[。！？!?]+[”’」』）)\]*]*|(?<=[A-Za-z0-9)\]])\.(?=\s|$)|$)", re.DOTALL)
_QUESTION = re.compile(r"[？?][*”’」』）)\s]*$")
_RULE_ROW = re.compile(r"\s*\|?[\s:|-]+\|?\s*")
_LIST_ITEM = re.compile(r"\s*(?:[-*+•]|\d+[.)、])\s+")
_ASKS_QUANTITY = re.compile(
    r"多少|几[天个次年月元级种份小点岁倍]|多久|多长|多大|\bhow (?:much|many|long|often|old|far|big)\b", re.IGNORECASE
)
_QUANTITY = re.compile(
    rf"\d|[{NUMERAL}]+[天日个次年月元级小周倍]|\b(?:one|two|three|four|five|six|ten|twelve|once|twice)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage that may be quoted."""

    label: str
    heading: str
    text: str

    @property
    def whole(self) -> str:
        """Return the headings and the text."""
        return f"{self.heading}\n{self.text}"


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


class ChoosesQuotes(Protocol):
    """Chooses quotations."""

    def choose(self, question: str, passages: Sequence[Passage]) -> list[Quote]:
        """Return the quotations that answer the question, best first; none when the passages do not hold it."""


@dataclass(frozen=True, slots=True)
class Quoter:
    """Chooses quotations with an embedder."""

    embedder: Embedder
    unrelated: Callable[[], float]
    """Returns the median cosine of unrelated texts under the embedder."""

    def choose(self, question: str, passages: Sequence[Passage]) -> list[Quote]:
        """Return at most two quotations that answer the question, best first; none when the passages do not hold it.

        That is so when a term that the answer cannot do without is missing, or when even the best unit is about
        something else.
        """
        evidence = "\n".join(passage.whole for passage in passages)
        ranked = self.rank(question, passages)
        if not ranked or missing_specifics(question, evidence) or not is_about(question, ranked[0]):
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
        texts = [_Text.of(one.in_context) for one in found]
        weights = _weights(question, texts)
        asks_quantity = bool(_ASKS_QUANTITY.search(question))
        covered = [
            replace(
                one,
                coverage=_coverage(weights, text),
                quantity=asks_quantity and bool(_QUANTITY.search(one.unit.text)),
            )
            for one, text in zip(found, texts, strict=True)
        ]
        kept = sorted(covered, key=lambda one: one.place - 4 * one.coverage)[:MAX_UNITS]
        if not kept:
            return []
        cosines = self.embedder.embed_passages([one.in_context for one in kept]) @ self.embedder.embed_query(question)
        unrelated = self.unrelated()
        scaled = (cosines - unrelated) / max(1 - unrelated, 1e-6)
        candidates = [replace(one, similarity=float(similarity)) for one, similarity in zip(kept, scaled, strict=True)]
        return sorted(candidates, key=lambda one: -one.score)


def is_about(question: str, best: Candidate) -> bool:
    """Judge whether the best unit is near enough to what was asked."""
    language = language_of(question)
    across = language != language_of(best.unit.text)
    return best.similarity >= (MIN_SIMILARITY_ACROSS if across else MIN_SIMILARITY[language])


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
            units += map(Unit, _sentences(stripped))
    return units


def _sentences(line: str) -> list[str]:
    """Return the sentences of a line; a question, as in a list of frequent ones, stays with its answer."""
    sentences: list[str] = []
    for match in _SENTENCE.finditer(line):
        if not match[0].strip():
            continue
        if sentences and _QUESTION.search(sentences[-1]):
            sentences[-1] += match[0].rstrip()
        else:
            sentences.append(match[0].strip())
    return sentences


def quotation(unit: Unit) -> str:
    """Return the unit as it is quoted; a table row is nothing without its header."""
    if not unit.header:
        return unit.text
    rule = "|" + " --- |" * (unit.header.count("|") - 1)
    return f"{unit.header}\n{rule}\n{unit.text}"


@dataclass(frozen=True, slots=True)
class _Text:
    """A text in the two forms in which words are looked for."""

    folded: str
    tokens: frozenset[str]

    @classmethod
    def of(cls, text: str) -> "_Text":
        return cls(folded(text), frozenset(tokenize(text, characters=False)))


def _weights(question: str, texts: Sequence[_Text]) -> dict[str, float]:
    """Weigh each word of the question by how few of the texts hold it."""
    words = {word for word in tokenize(question, characters=False) if word not in STOP_TOKENS}
    return {word: math.log(1 + len(texts) / (1 + sum(map(_holds(word), texts)))) for word in words}


def _coverage(weights: dict[str, float], text: _Text) -> float:
    total = sum(weights.values())
    return sum(weight for word, weight in weights.items() if _holds(word)(text)) / total if total else 0.0


def _holds(word: str) -> Callable[[_Text], bool]:
    """Return whether a text holds the word: anywhere for a Chinese one, which may be cut otherwise there."""
    return (lambda text: word in text.folded) if language_of(word) == "zh" else (lambda text: word in text.tokens)
