"""Find where a claim says something else than the sentence that it was made from."""

import re
from collections.abc import Iterator, Sequence

from agent.facts.alignment import Alignment, Difference, align
from agent.facts.finding import Finding
from agent.facts.names import NAME_TAGS, tagged
from agent.facts.passage import PassageFacts
from agent.facts.polarity import is_reversed, reversals
from agent.facts.sequence import Token
from agent.facts.source import Source

MIN_SHARED = 0.5
"""Share of a claim that must stand in one sentence for the rest to be held against that sentence."""
SURELY_SHARED = 0.7
"""The same for a value that stands elsewhere in the passage."""
NEAR_BY = 2
"""Tokens between a value and the words that both texts share."""
TIE = 0.1
"""Sentences that share nearly as much may be the source as well: each must contradict the claim."""
_GRAMMAR = frozenset("的是了在于和与及为被也亦由从到将把对向以之而则但并或等一个有无不了着过得地")
_JOINTS = frozenset(("of", "the", "de", "da", "van", "von", "and", "for"))
_STANDS_FOR = re.compile(
    r"[他她它其该此这那本各]|\b(?:he|she|it|they|his|her|its|their|him|them|this|these|that|the)\b", re.IGNORECASE
)


def contradictions(claim: Sequence[Token], sources: Sequence[Source]) -> list[Finding]:
    """Return what the nearest sentence says otherwise: other values, other names, or the opposite.

    None when no sentence is near, or when one that is as near does not contradict the claim.
    """
    aligned = sorted((one for source in sources for one in align(claim, source.sentences)), key=lambda one: -one.shared)
    near = [one for one in aligned if one.shared >= max(MIN_SHARED, aligned[0].shared - TIE)]
    found = [list(_differing(one)) for one in near]
    return found[0] if found and all(found) else []


def _differing(alignment: Alignment) -> Iterator[Finding]:
    for one in (one for one in alignment.differences if one.anchored):
        if alignment.shared >= SURELY_SHARED:
            yield from _other_values(one)
        if not is_reversed(one.said, one.held) and _is_other_name(alignment, one):
            yield Finding("name", _joined(one.said), _joined(one.held))
    for one in reversals(alignment.differences):
        yield Finding("reversed", _joined(one.said), _joined(one.held))


def _other_values(one: Difference) -> Iterator[Finding]:
    there = PassageFacts.of_facts([token.fact for token in one.held if token.fact])
    for n, token in enumerate(one.said):
        if not token.fact or there.holds(token.fact) or token.key in {other.key for other in one.held}:
            continue
        for m, other in enumerate(one.held):
            if other.fact and _face(n, m) | _face(len(one.said) - n, len(one.held) - m):
                yield Finding("value", token.fact.text, other.fact.text)
                break


def _face(said: int, held: int) -> bool:
    """Tell whether two tokens stand at about the same distance from the words that both texts share."""
    return abs(said - held) <= 1 and min(said, held) <= NEAR_BY


def _is_other_name(alignment: Alignment, one: Difference) -> bool:
    """Tell a name in the place of another from the same in other words."""
    said, held = _words(one.said), _words(one.held)
    if not said or not held or any(_STANDS_FOR.search(token.text) for token in (*said, *held)):
        return False
    if said[0].text.isascii() or held[0].text.isascii():
        at_start = one.start == 0 and len(said) == len(held) == 1  # a capital there is no sign
        return (
            not at_start
            and alignment.shared >= SURELY_SHARED
            and _all_capitals(said)
            and _all_capitals(held)
            and not _short(said, held)
        )
    named = _name_places(alignment.claim), _name_places(alignment.sentence)
    says = any(one.start + n in named[0] for n in range(len(one.said)))
    holds = sum(one.place + n in named[1] for n in range(len(one.held)))
    grammar = any(token.text in _GRAMMAR for token in said)
    return holds > 0 and (says or (2 * holds >= len(one.held) and not grammar))


def _all_capitals(tokens: Sequence[Token]) -> bool:
    return all(token.text[0].isupper() or token.text in _JOINTS for token in tokens)


def _short(said: Sequence[Token], held: Sequence[Token]) -> bool:
    """Tell whether one is the other in initials."""
    forms = [
        {"".join(token.text for token in one), "".join(token.text[0] for token in one if token.text[0].isupper())}
        for one in (said, held)
    ]
    return bool(forms[0] & forms[1])


def _words(tokens: Sequence[Token]) -> list[Token]:
    return [token for token in tokens if token.fact is None]


def _name_places(text: Sequence[Token]) -> set[int]:
    """Return the places of the tokens that the tagger takes for a part of a name."""
    places: set[int] = set()
    owner = [n for n, token in enumerate(text) for _ in token.text]
    position = 0
    for word, tag in tagged("".join(token.text for token in text)):
        if tag in NAME_TAGS and len(word) > 1:
            places.update(owner[position : position + len(word)])
        position += len(word)
    return places


def _joined(tokens: Sequence[Token]) -> str:
    text = " ".join(token.text for token in tokens)
    return re.sub(r"(?<=[\u3400-\u9fff]) (?=[\u3400-\u9fff])", "", text)
