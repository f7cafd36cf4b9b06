"""How sure it is that the passages hold the answer: what a refusal is decided by.

A logistic regression whose weights were learnt on questions of `hotpotqa_en` and `xquad_en`, each once with the
passages that answer it and once without them.
"""

import math
from collections.abc import Sequence

from agent.language import language_of
from agent.quoting.answer_type import REQUIRED, asked_type
from agent.quoting.candidate import Candidate
from agent.quoting.specifics.descriptions import nameless_description
from agent.quoting.specifics.missing import missing_specifics
from agent.quoting.specifics.names import unheard_names

LEAST_CONFIDENCE = 0.25
"""Confidence below which a question is refused, where the knowledge base was not calibrated."""
SURE = 0.6
"""Confidence from which the documents are quoted at a limit, although the model found nothing in them."""
ACROSS = 0.35
"""By how much less similar a question and its answer are where they are of two languages."""

_SIMILARITY, _MATCHED, _BIAS = 4.16, 6.91, -5.47
_SIMILARITY_ALONE, _BIAS_ALONE = 6.65, -1.33
"""The same where tokens cannot be matched."""
_CHINESE = -0.5
"""Where question and answer are Chinese, whose sentences lie nearer together: with it 98 of 100 questions of
`cmrc2018_zh` are still above 0.5."""
_UNHEARD_NAME = -1.5
"""For a name that no passage has: it may be one of the countries, or people, that a rule is about."""
_NAMELESS = -1.5
"""For "the country" where no country is named: a passage on a country may not be on that one."""
_CODES = 1.5
"""For a unit that holds every code of the question, which the sets that taught the rest do not have."""


def confidence(question: str, passages: Sequence[str], ranked: Sequence[Candidate]) -> float:
    """Return how sure it is that the passages hold the answer, 0 to 1.

    It follows from the best unit that could be the answer: one with a figure where a quantity is asked for, and on no
    other kind of what is asked about. It is 0 where there is none, and where a term is missing that the answer needs.
    """
    if missing_specifics(question, passages):
        return 0.0
    required = asked_type(question) in REQUIRED
    could_be = [one for one in ranked if (one.typed or not required) and not one.other_kind]
    if not could_be:
        return 0.0
    asked_in = language_of(question)
    similarity = max(one.similarity + ACROSS * (language_of(one.unit.text) != asked_in) for one in could_be)
    known = _CODES * any(one.codes == 1 for one in could_be)
    known += _CHINESE * (asked_in == "zh" and language_of(could_be[0].unit.text) == "zh")
    known += _UNHEARD_NAME * bool(unheard_names(question, passages))
    known += _NAMELESS * bool(nameless_description(question))
    matched = [one.matched for one in could_be if one.matched is not None]
    if matched:
        return _logistic(_SIMILARITY * similarity + _MATCHED * max(matched) + known + _BIAS)
    return _logistic(_SIMILARITY_ALONE * similarity + known + _BIAS_ALONE)


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value))
