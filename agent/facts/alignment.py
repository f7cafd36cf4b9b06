"""Lay a sentence beside the sentence of a passage that it was made from, and see where the two differ."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

from agent.facts.sequence import Token

NEAREST = 3
"""Sentences of a passage that a claim is laid beside."""
MAX_GAP = 8
"""Tokens; where more differ, the two say different things and no part of one stands for a part of the other."""
MIN_ANCHOR = 3
"""Tokens that must agree on the two sides of a difference together."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Tokens of the claim in whose place the passage has others, both possibly none, between words they share."""

    start: int
    """Place in the claim."""
    place: int
    """Place in the sentence of the passage."""
    said: tuple[Token, ...]
    held: tuple[Token, ...]
    anchored: bool
    """The words around it agree at enough places to be sure that the one stands for the other."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """A claim beside one sentence of a passage."""

    claim: tuple[Token, ...]
    sentence: tuple[Token, ...]
    shared: float
    """Share of the claim's tokens that stand in the sentence in the same order; 0 to 1."""
    differences: tuple[Difference, ...]


def align(claim: Sequence[Token], sentences: Sequence[Sequence[Token]]) -> list[Alignment]:
    """Return the claim beside the nearest sentences, best first."""
    keys = Counter(token.key for token in claim)
    near = sorted(sentences, key=lambda one: -sum((keys & Counter(token.key for token in one)).values()))[:NEAREST]
    return sorted((_beside(claim, sentence) for sentence in near), key=lambda one: -one.shared)


def _beside(claim: Sequence[Token], sentence: Sequence[Token]) -> Alignment:
    said, held = [token.key for token in claim], [token.key for token in sentence]
    found = SequenceMatcher(None, said, held, autojunk=False).get_matching_blocks()
    blocks = [Block(*block) for block in found]
    shared = sum(block.size for block in blocks) / max(len(said), 1)
    return Alignment(tuple(claim), tuple(sentence), shared, tuple(_differences(claim, sentence, blocks)))


class Block(NamedTuple):
    """Tokens that agree: from `said` on in the claim, from `held` on in the sentence."""

    said: int
    held: int
    size: int


def _differences(claim: Sequence[Token], sentence: Sequence[Token], blocks: Sequence[Block]) -> Iterator[Difference]:
    """Yield what differs before, between and after the blocks, the last of which is empty."""
    before = Block(0, 0, 0)
    for after in blocks:
        start, place = before.said + before.size, before.held + before.size
        said, held = claim[start : after.said], sentence[place : after.held]
        # At either end the passage may go on, so only what stands as near as the claim's own tokens counts.
        if not before.size:
            place = max(place, after.held - len(said) - 2)
            held = sentence[place : after.held]
        if not after.size:
            held = held[: len(said) + 1] if said else ()
        anchored = before.size + after.size >= MIN_ANCHOR
        if (said or held) and max(len(said), len(held)) <= MAX_GAP:
            yield Difference(start, place, tuple(said), tuple(held), anchored)
        before = after
