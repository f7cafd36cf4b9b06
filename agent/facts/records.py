"""Find a value that stands in the same place of another record: the department of one employee told of another."""

from collections import Counter
from collections.abc import Iterable, Sequence

from agent.facts.alignment import Alignment, Difference
from agent.facts.sequence import Token

PARALLEL = 0.4
"""Share of the tokens of a sentence that another one must hold to be a record of the same kind."""
MAX_VALUE = 6
"""Tokens of a value; what is longer is no value but says something else."""


def is_of_another_record(alignment: Alignment, one: Difference, sentences: Iterable[Sequence[Token]]) -> bool:
    """Tell whether a parallel sentence has in this place what the claim says, and the claim's own has something else.

    The place is told by the token before it, such as the name of a column.
    """
    if not (one.start and 0 < len(one.said) <= MAX_VALUE and 0 < len(one.held) <= MAX_VALUE):
        return False
    before = alignment.claim[one.start - 1].key
    said = [before, *(token.key for token in one.said)]
    held = [before, *(token.key for token in one.held)]
    own = [token.key for token in alignment.sentence]
    if _holds(own, said) or not _holds(own, held):
        return False
    return any(_is_parallel(own, other) and _holds(other, said) for other in map(_keys, sentences))


def _keys(tokens: Sequence[Token]) -> list[str]:
    return [token.key for token in tokens]


def _is_parallel(own: Sequence[str], other: Sequence[str]) -> bool:
    same = sum((Counter(own) & Counter(other)).values())
    return own != other and same >= PARALLEL * max(len(own), len(other))


def _holds(keys: Sequence[str], part: Sequence[str]) -> bool:
    return any(list(keys[place : place + len(part)]) == list(part) for place in range(len(keys) - len(part) + 1))
