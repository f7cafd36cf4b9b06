"""Choose the words of the documents that answer a question: the best sentences or table rows, as they stand."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from agent.checks.numerals import folded
from agent.quoting.answer_type import asked_type, is_of
from agent.quoting.confidence import LEAST_CONFIDENCE, Candidate, Passage, confidence
from agent.quoting.units import list_around, quotation, split_units
from retrieval.embed.embedder import Embedder
from retrieval.text.tokens import STOP_TOKENS, query_tokens, tokenize
from retrieval.text.writing import is_code, language_of

MAX_QUOTES = 2
MAX_UNITS = 48
"""Sentences that are encoded for one question; more would make a person wait."""

SECOND_MARGIN = 0.3
"""How far the second quotation may score below the first."""
MATCHED_UNITS = 12
"""Units, the best by score, that are matched with the question token by token."""


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of a passage, as they stand there; a table row with its header."""

    label: str
    text: str
    score: float
    confidence: float = 0.0
    """How sure it is that the passages hold the answer, 0 to 1."""


class MatchesTokens(Protocol):
    """Matches a question with texts token by token."""

    def scores(self, question: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return for each text the mean, -1 to 1, of each question token's best cosine in it."""


@dataclass(frozen=True, slots=True)
class Quoter:
    """Chooses quotations with an embedder."""

    embedder: Embedder
    unrelated: Callable[[], float]
    """Returns the median cosine of unrelated texts under the embedder."""
    tokens: MatchesTokens | None = None
    """Matches a question with a text token by token, where the embedder can."""

    def choose(self, question: str, passages: Sequence[Passage]) -> list[Quote]:
        """Return the quotations that answer the question, best first; none when the passages do not hold it.

        They are two sentences at most, or one table row. Who asks for a list, or for what is said under a code, gets
        the whole list that the best one stands in.
        """
        ranked = [one for one in self.rank(question, passages) if one.typed]
        sure = confidence(question, [passage.whole for passage in passages], ranked)
        if not ranked or sure < LEAST_CONFIDENCE:
            return []
        best = ranked[0]
        whole = asked_type(question) == "list" or best.codes == 1
        if whole and len(items := list_around(split_units(best.passage.text), best.unit)) > 1:
            return [Quote(best.passage.label, "\n".join(item.text for item in items), best.score, sure)]
        near = [one for one in ranked[:MAX_QUOTES] if one.score >= best.score - SECOND_MARGIN]
        # The next row of a table is about something else, however alike the two are.
        chosen = near if not any(one.unit.header for one in near) else [best]
        return [Quote(one.passage.label, quotation(one.unit), one.score, sure) for one in chosen]

    def rank(self, question: str, passages: Sequence[Passage]) -> list[Candidate]:
        """Return the units of the passages, best first; of more than 12, the best 12 where tokens are matched.

        A unit is scored by its embedding's cosine to the question, by the words and codes of the question that it
        holds, by whether it holds an answer of the type that is asked for, and by how well its tokens match.
        """
        found = [
            Candidate(passage, place, unit)
            for place, passage in enumerate(passages)
            for unit in split_units(passage.text)
        ]
        texts = [_Text.of(one.in_context) for one in found]
        weights = _weights(question, texts)
        kind, codes = asked_type(question), {token for token in query_tokens(question) if is_code(token)}
        covered = [
            replace(
                one,
                coverage=_coverage(weights, text),
                codes=len(codes & text.tokens) / len(codes) if codes else 0.0,
                typed=is_of(kind, one.unit),
            )
            for one, text in zip(found, texts, strict=True)
        ]
        kept = sorted(covered, key=lambda one: one.place - 4 * (one.coverage + one.codes))[:MAX_UNITS]
        if not kept:
            return []
        cosines = self.embedder.embed_passages([one.in_context for one in kept]) @ self.embedder.embed_query(question)
        unrelated = self.unrelated()
        scaled = (cosines - unrelated) / max(1 - unrelated, 1e-6)
        candidates = [replace(one, similarity=float(similarity)) for one, similarity in zip(kept, scaled, strict=True)]
        return self._matched(question, sorted(candidates, key=lambda one: -one.score))

    def _matched(self, question: str, ranked: list[Candidate]) -> list[Candidate]:
        if self.tokens is None:
            return ranked
        first = ranked[:MATCHED_UNITS]
        scores = self.tokens.scores(question, [one.in_context for one in first])
        matched = [replace(one, matched=float(score)) for one, score in zip(first, scores, strict=True)]
        return sorted(matched, key=lambda one: -one.score)


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
