"""How much each leg counts for one question: the keyword leg no more than it has to say.

A question in English shares a digit or two with Chinese documents; what BM25 then ranks is chance, and would count as
much as the vectors.
"""

from collections.abc import Mapping, Sequence

from retrieval.hit import Hit, Leg
from retrieval.tokens import is_code, query_tokens, tokenize

_ENOUGH = 0.5
"""Share of the question's tokens in the best hit from which the leg counts in full."""


def votes(question: str, legs: Mapping[Leg, Sequence[Hit]], weights: Mapping[Leg, float]) -> dict[Leg, float]:
    """Return the weight of each leg for this question, at most that of `weights`; a leg alone keeps its own."""
    if len(legs) < 2:
        return {leg: weights[leg] for leg in legs}
    shares: dict[Leg, float] = {"keyword": keyword_share(question, legs.get("keyword", ()))}
    return {leg: weights[leg] * shares.get(leg, 1.0) for leg in legs}


def keyword_share(question: str, hits: Sequence[Hit]) -> float:
    """Return 0 to 1: how much of the question stands in the best of the hits; a code that does is enough."""
    if not hits:
        return 0.0
    asked, found = set(query_tokens(question)), set(tokenize(hits[0].chunk.search_text))
    shared = asked & found
    if any(is_code(token) for token in shared):
        return 1.0
    return min(1.0, len(shared) / len(asked) / _ENOUGH)
