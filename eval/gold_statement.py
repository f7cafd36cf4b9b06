"""What an answer means in its document: the whole sentence, or the table row with the names of its columns."""

from collections.abc import Iterable, Iterator

from eval.judge import normalise
from eval.query import Query
from preprocessing.document import Block, Document
from preprocessing.sentences import sentences
from preprocessing.tables import cells, table_rows

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
