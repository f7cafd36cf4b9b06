"""What is right: a passage by its id, a chunk by the answer it holds."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from eval.sets.files import Query
from retrieval.hit import Hit

ANSWER = "answer"
"""Stands in a ranking for the first chunk that holds the answer."""

_SPACE = re.compile(r"\s+")


def normalise(text: str) -> str:
    """Return the form in which answers are compared: NFKC, lower case, no white space."""
    return _SPACE.sub("", unicodedata.normalize("NFKC", text)).lower()


def holds_answer(text: str, file: str, query: Query) -> bool:
    """Say whether a text of the file holds one of the answers and all that must stand with it."""
    if PurePath(file).name not in query.gold_files:
        return False
    squeezed = normalise(text)
    return any(normalise(answer) in squeezed for answer in query.answers) and all(
        normalise(part) in squeezed for part in query.must_contain
    )


def judge_passages(query: Query, hits: Sequence[Hit]) -> tuple[list[str], Mapping[str, int]]:
    """Return the ranking by passage id and the grades of the question."""
    return [hit.chunk.chunk_id for hit in hits], query.grades


def judge_chunks(query: Query, hits: Sequence[Hit]) -> tuple[list[str], Mapping[str, int]]:
    """Return the ranking with ANSWER in place of the first chunk that holds the answer, and ANSWER as the only gold.

    One chunk suffices, however many hold the answer, so later ones earn nothing.
    """
    ranking = [hit.chunk.chunk_id for hit in hits]
    for place, hit in enumerate(hits):
        if holds_answer(hit.chunk.text, hit.chunk.source, query):
            ranking[place] = ANSWER
            break
    return ranking, {ANSWER: 1}
