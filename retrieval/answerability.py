"""How likely a passage holds the answer, judged from how it was found: the number a refusal can start from.

A logistic regression over what the legs and the reranker say. Its weights were learnt by `python -m eval.answerability`
on questions of `cmrc2018_zh` and `hotpotqa_en`, each once with the passages that answer it and once without them.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from retrieval.hit import Hit
from retrieval.tokens import keywords, tokenize

Signals = tuple[float, float, float, float]
_RIVALS = 5
_WEIGHTS: Signals = (2.408, 1.187, 0.833, 3.038)
_BIAS = -4.789


def with_answerability(question: str, hits: Sequence[Hit]) -> list[Hit]:
    """Return the reranked hits, best first, each with its `answerability`, 0 to 1."""
    return [
        replace(hit, answerability=probability(signals))
        for hit, signals in zip(hits, signals_of(question, hits), strict=True)
    ]


def signals_of(question: str, hits: Sequence[Hit]) -> list[Signals]:
    """Return for each hit what speaks for it.

    Score of the reranker; how far it lies above the mean of the best others; share of the question's distinct
    keywords that stand in it, 0 to 1; how many of the two legs have it first, 0 to 2.
    """
    asked = set(keywords(question))
    scores = [hit.score for hit in hits]
    found = []
    for place, hit in enumerate(hits):
        rivals = [score for other, score in enumerate(scores) if other != place][:_RIVALS]
        above = hit.score - sum(rivals) / len(rivals) if rivals else 0.0
        held = len(asked.intersection(tokenize(hit.chunk.search_text))) / len(asked) if asked else 0.0
        first = sum(leg in hit.legs and hit.legs[leg].rank == 1 for leg in ("vector", "keyword"))
        found.append((hit.score, above, held, float(first)))
    return found


def probability(signals: Signals) -> float:
    """Return the logistic function of the weighted signals, 0 to 1."""
    return 1 / (1 + math.exp(-_BIAS - sum(weight * signal for weight, signal in zip(_WEIGHTS, signals, strict=True))))
