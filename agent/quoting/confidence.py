"""What may answer a question, how sure it is that it does, and what is missing: what a refusal is decided by."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agent.checks.numerals import folded, half_width
from agent.evidence import supporting
from agent.quoting.answer_type import REQUIRED, AnswerType, asked_type, is_of
from agent.quoting.units import Unit, split_units
from preprocessing.document import Chunk
from retrieval.text.writing import codes_in, fold_ordinals, language_of

SIMILARITY_WEIGHT, COVERAGE_WEIGHT, PLACE_WEIGHT = 1.0, 0.5, 0.02
CODE_WEIGHT = 1.0
"""A code such as ERR_4032 is meant to the letter, whatever else is alike."""
MATCHED_WEIGHT, COVERAGE_WEIGHT_MATCHED = 2.0, 0.25
"""Once tokens are matched they count most, and words say less that is new. Chosen on `hotpotqa_en` and `xquad_en`."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage that may be quoted."""

    label: str
    heading: str
    text: str

    @classmethod
    def of(cls, label: str, chunk: Chunk) -> "Passage":
        """Return what an answer may rely on of a chunk: orders to a model left out."""
        return cls(label, supporting(chunk.heading), supporting(chunk.text))

    @property
    def whole(self) -> str:
        """Return the headings and the text."""
        return f"{self.heading}\n{self.text}"


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
    codes: float = 0.0
    """Share of the question's codes that stand in it or above it; 0 to 1."""
    typed: bool = True
    """It holds an answer of the type that is asked for, where such an answer has a form of its own."""
    matched: float | None = None
    """Mean of the best cosines of the question's tokens in it, -1 to 1; None where that is not known."""

    @property
    def in_context(self) -> str:
        """Return headings, table header or lead-in, and text: what the unit means where it stands."""
        return f"{self.passage.heading}\n{self.unit.whole}" if self.passage.heading else self.unit.whole

    @property
    def score(self) -> float:
        """Return how well the unit fits the question."""
        score = SIMILARITY_WEIGHT * self.similarity - PLACE_WEIGHT * self.place
        score += CODE_WEIGHT * self.codes
        if self.matched is None:
            return score + COVERAGE_WEIGHT * self.coverage
        return score + COVERAGE_WEIGHT_MATCHED * self.coverage + MATCHED_WEIGHT * self.matched


LEAST_CONFIDENCE = 0.25
"""Confidence below which a question is refused."""
SURE = 0.6
"""Confidence from which the documents are quoted at a limit, although the model found nothing in them."""

_WEIGHTS = {"same": (4.16, 6.91, -5.47), "across": (1.49, 12.65, -5.49)}
"""What similarity and matched tokens count for, and the bias: a logistic regression that was learnt on `hotpotqa_en`,
`xquad_en` and `xquad_crosslingual`. Across is an answer in another language than the question."""
_ALONE = {"same": (6.65, 0.0, -1.33), "across": (6.65, 0.0, 1.0)}
"""The same where tokens cannot be matched."""
_CODES = 1.5
"""For a unit that holds every code of the question, which is meant to the letter."""

_ARTICLE = re.compile(r"第\d+[条章节款项]")
_LONG_NUMBER = re.compile(r"(?<![\w.,-])\d{4,}(?![\d.,]*\d)(?![A-Za-z_-])(?!\s*(?:元|块|人|yuan|people))")
"""A year, or a number that names something; no amount."""
_NAME_IN_CHINESE = re.compile(r"(?<![A-Za-z\d])[A-Z][A-Za-z]{2,}(?: [A-Z][A-Za-z]+)*(?![A-Za-z\d_-])")
_TYPES: Mapping[AnswerType, tuple[str, str]] = {
    "share": ("比例", "a percentage"),
    "money": ("金额", "an amount of money"),
    "duration": ("时长", "a length of time"),
    "date": ("日期", "a date"),
    "number": ("数量", "a number"),
}


def confidence(question: str, passages: Sequence[str], ranked: Sequence[Candidate]) -> float:
    """Return how sure it is that the passages hold the answer, 0 to 1.

    It follows from the unit that fits best. It is 0 where there is none of the type that is asked for, and where a term
    is missing that the answer needs.
    """
    could_be = [one for one in ranked if one.typed]
    if not could_be or missing_terms(question, passages):
        return 0.0
    return max(_logistic(question, one) for one in could_be)


def missing_parts(question: str, passages: Sequence[Passage]) -> list[str]:
    """Return what a refusal can name: terms of the question that no passage has, and the type of answer if none has it.

    The type is written in the language of the question.
    """
    parts = missing_terms(question, [passage.whole for passage in passages])
    kind = asked_type(question)
    units = [unit for passage in passages for unit in split_units(passage.text)]
    if kind in REQUIRED and not any(is_of(kind, unit) for unit in units):
        parts.append(_TYPES[kind][0 if language_of(question) == "zh" else 1])
    return parts


def missing_terms(question: str, passages: Sequence[str]) -> list[str]:
    """Return the codes, articles, years and names in Latin letters of the question that stand in none of the passages.

    They are returned as they were written. Case, width, separators (ERR-4032 for err_4032) and the form of numerals do
    not matter. An English question has no names: any of its words may begin with a capital.
    """
    asked, held = fold_ordinals(half_width(question)), folded("\n".join(passages))
    chinese = language_of(question) == "zh"
    terms = [*codes_in(asked), *_LONG_NUMBER.findall(asked)]
    # A document in another language has other words for 第46条; the first passage is the nearest.
    if chinese and passages and language_of(passages[0]) == "zh":
        terms += _ARTICLE.findall(asked)
    if chinese:
        terms += [name for name in _NAME_IN_CHINESE.findall(asked) if not _is_heard(name, held)]
    return [term for term in dict.fromkeys(terms) if folded(term) not in held]


def _is_heard(name: str, held: str) -> bool:
    return any(folded(word).removesuffix("s") in held for word in name.split())


def _logistic(question: str, one: Candidate) -> float:
    languages = "same" if language_of(one.unit.text) == language_of(question) else "across"
    similar, matched, bias = (_ALONE if one.matched is None else _WEIGHTS)[languages]
    value = similar * one.similarity + matched * (one.matched or 0.0) + bias + _CODES * (one.codes == 1)
    return 1 / (1 + math.exp(-value))
