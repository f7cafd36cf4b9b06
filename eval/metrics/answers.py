"""Metrics of an answer, of a refusal and of a rewritten question.

Each returns None where it does not apply; a mean is taken over the questions that have a score.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from eval.metrics.gold import holds_answer, normalise
from eval.sets.files import Query

_TOKEN = re.compile(r"[a-z0-9]+|[\u4e00-\u9fff]")


def tokens(text: str) -> list[str]:
    """Return English words and numbers, and single Chinese characters, after NFKC and in lower case."""
    return _TOKEN.findall(unicodedata.normalize("NFKC", text).lower())


def token_f1(text: str, gold: str) -> float:
    """Return the F1 of the tokens of two texts, each counted as often as it stands; 1 when both have none.

    Rajpurkar et al.: SQuAD, EMNLP 2016; Chinese by character as in Cui et al.: CMRC 2018, EMNLP 2019.
    """
    ours, theirs = Counter(tokens(text)), Counter(tokens(gold))
    total = ours.total() + theirs.total()
    return 2 * (ours & theirs).total() / total if total else 1.0


def answer_containment(answer: str, query: Query) -> float | None:
    """Return 1 when the answer holds one of the gold answers, compared as in retrieval, else 0."""
    if not query.answerable or not query.answers:
        return None
    squeezed = normalise(answer)
    return float(any(normalise(gold) in squeezed for gold in query.answers))


def answer_f1(answer: str, query: Query) -> float | None:
    """Return the token F1 to the nearest gold answer, or to the answer in free words where the set has only that."""
    return max(token_f1(answer, gold) for gold in query.references) if query.answerable and query.references else None


@dataclass(frozen=True, slots=True)
class Cited:
    """A passage that an answer points at."""

    file: str
    text: str
    passage: str = ""
    """Id of a ready-made passage, which is right when the set says so; empty for a chunk of a document."""

    def supports(self, query: Query) -> bool:
        """Say whether it is a gold passage or, of a document, holds the gold answer."""
        return self.passage in query.grades if self.passage else holds_answer(self.text, self.file, query)


def citation_precision(cited: Sequence[Cited], query: Query) -> float | None:
    """Return the share of cited passages that support the answer; None when nothing is cited."""
    if not _has_support(query) or not cited:
        return None
    return sum(passage.supports(query) for passage in cited) / len(cited)


def citation_recall(cited: Sequence[Cited], query: Query) -> float | None:
    """Return 1 when any cited passage supports the answer, else 0."""
    if not _has_support(query):
        return None
    return float(any(passage.supports(query) for passage in cited))


def rewrite_f1(rewrite: str, query: Query) -> float | None:
    """Return the token F1 of a rewritten question to the gold rewrite."""
    return token_f1(rewrite, query.gold_rewrite) if query.gold_rewrite else None


@dataclass(frozen=True, slots=True)
class RefusalScores:
    """How well an answerer tells what it cannot answer."""

    precision: float | None
    """Of what was refused, the share that cannot be answered; None when nothing was refused."""
    recall: float | None
    """Of what cannot be answered, the share that was refused; None when all can be answered."""
    f1: float | None


def refusal_scores(decisions: Iterable[tuple[bool, bool]]) -> RefusalScores:
    """Return the scores of (cannot be answered, was refused) pairs, one a question."""
    counts = Counter(decisions)
    right = counts[True, True]
    refused, unanswerable = right + counts[False, True], right + counts[True, False]
    return RefusalScores(
        precision=right / refused if refused else None,
        recall=right / unanswerable if unanswerable else None,
        f1=2 * right / (refused + unanswerable) if refused + unanswerable else None,
    )


def _has_support(query: Query) -> bool:
    return bool(query.answerable and (query.answers or query.grades))
