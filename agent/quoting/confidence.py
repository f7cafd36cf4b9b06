"""How sure it is that the passages hold the answer: what a refusal is decided by.

A logistic regression whose weights were learnt on questions of `hotpotqa_en` and `xquad_en`, each once with the
passages that answer it and once without them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from agent.quoting.answer_type import REQUIRED, asked_type
from agent.quoting.candidate import Candidate
from agent.quoting.specifics.missing import missing_specifics
from agent.quoting.specifics.names import unheard_names
from retrieval.text.language import language_of

LEAST_CONFIDENCE = 0.25
"""Confidence below which a question is refused."""
SURE = 0.6
"""Confidence from which the documents are quoted at a limit, although the model found nothing in them."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What similarity and matched tokens count for, in a logistic regression."""

    similarity: float
    matched: float
    bias: float


SAME = Weights(4.16, 6.91, -5.47)
CHINESE = Weights(4.16, 6.91, -5.97)
"""Chinese sentences lie nearer together: with this 98 of 100 questions of `cmrc2018_zh` are still above 0.5."""
ACROSS = Weights(1.49, 12.65, -5.49)
"""Where question and answer are of two languages; learnt on 200 questions of `xquad_crosslingual`."""
_ALONE = {SAME: Weights(6.65, 0, -1.33), CHINESE: Weights(6.65, 0, -1.83), ACROSS: Weights(6.65, 0, 1.0)}
"""The same where tokens cannot be matched."""
_UNHEARD_NAME = -1.5
"""For a name that no passage has: it may be one of the countries, or people, that a rule is about."""
_CODES = 1.5
"""For a unit that holds every code of the question, which the sets that taught the rest do not have."""


def confidence(question: str, passages: Sequence[str], ranked: Sequence[Candidate]) -> float:
    """Return how sure it is that the passages hold the answer, 0 to 1.

    It follows from the best units that could be the answer: with a figure where a quantity is asked for, and in the
    language of the best of them. It is 0 where there is none, and where a term is missing that the answer needs.
    """
    if missing_specifics(question, passages):
        return 0.0
    required = asked_type(question) in REQUIRED
    could_be = [one for one in ranked if (one.typed or not required)]
    if not could_be:
        return 0.0
    weights = _weights(question, could_be[0])
    alike = [one for one in could_be if _weights(question, one) == weights]
    value = _CODES * any(one.codes == 1 for one in alike)
    value += _UNHEARD_NAME * bool(unheard_names(question, passages))
    matched = max((one.matched for one in alike if one.matched is not None), default=None)
    if matched is None:
        weights = _ALONE[weights]
    value += weights.similarity * max(one.similarity for one in alike) + weights.matched * (matched or 0.0)
    return _logistic(value + weights.bias)


def _weights(question: str, candidate: Candidate) -> Weights:
    asked_in = language_of(question)
    if language_of(candidate.unit.text) != asked_in:
        return ACROSS
    return CHINESE if asked_in == "zh" else SAME


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value))
