"""What is right: a passage by its id, a chunk by the answer it holds, a statement whole."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath

from eval.sets.files import Query
from preprocessing.document import Block, Document
from preprocessing.sentences import sentences
from preprocessing.tables import cells, table_rows
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


Statement = tuple[str, ...]
"""Parts, normalised, that must stand together: one for a sentence, the cells for a row."""


def gold_statements(documents: Iterable[Document], query: Query) -> list[Statement]:
    """Return every statement of the documents that holds an answer, those with all of `must_contain` if there are any.

    Empty when each answer spans several sentences.
    """
    answers, must = [normalise(answer) for answer in query.answers], [normalise(part) for part in query.must_contain]
    holding = [
        statement
        for document in documents
        for block in document.blocks
        for statement in _statements(block)
        if any(answer in "".join(statement) for answer in answers)
    ]
    together = [statement for statement in holding if all(part in "".join(statement) for part in must)]
    return together or holding


def is_complete(text: str, statements: Iterable[Statement]) -> bool:
    """Say whether the text holds every part of one of the statements."""
    squeezed = normalise(text)
    return any(all(part in squeezed for part in statement) for statement in statements)


def _statements(block: Block) -> Iterator[Statement]:
    if block.kind == "table":
        header, rows = table_rows(block.text)
        names = cells(header[0]) if header else []
        for row in rows:
            yield _normalised([*names, *cells(row)])
    elif block.kind in ("list", "code"):
        for line in block.text.split("\n"):
            yield _normalised([line])
    else:
        for sentence in sentences(block.text):
            yield _normalised([sentence])


def _normalised(parts: Iterable[str]) -> Statement:
    return tuple(part for part in map(normalise, parts) if part)
