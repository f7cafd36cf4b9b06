"""Which pieces of a vocabulary of a hundred languages stay."""

import unicodedata
from collections.abc import Sequence

from retrieval.models.weights import Piece

SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
COMMON_LATIN = 10_000
"""Of the pieces with Latin letters beyond ASCII, this many of the most frequent stay."""

_METASPACE = "▁"


def kept_pieces(pieces: Sequence[Piece]) -> list[int]:
    """Return the indices that stay, in the old order; the four special pieces are the first four.

    What stays: every single character of every script, so that no text becomes unreadable that was readable before;
    every piece of ASCII, of Chinese characters, and of signs; of other Latin pieces the COMMON_LATIN most frequent.
    """
    specials = len(SPECIAL)
    assert tuple(text for text, _ in pieces[:specials]) == SPECIAL
    scripts = {index: _script(pieces[index][0]) for index in range(specials, len(pieces))}
    latin = [index for index, script in scripts.items() if script == "latin"]
    latin.sort(key=lambda index: -pieces[index][1])
    common = set(latin[:COMMON_LATIN])
    whole = {"character", "ascii", "chinese", "signs"}
    rest = [index for index, script in scripts.items() if script in whole or index in common]
    return [*range(specials), *rest]


def _script(piece: str) -> str:
    text = piece.replace(_METASPACE, "")
    if text == "<mask>":
        return "unused"
    if len(text) <= 1:
        return "character"
    if text.isascii():
        return "ascii"
    letters = {_letters(character) for character in text} - {"ascii", "sign"}
    if not letters:
        return "signs"
    if "other" in letters:
        return "other"
    return "chinese" if "chinese" in letters else "latin"


def _letters(character: str) -> str:
    if character.isascii():
        return "ascii"
    if unicodedata.category(character)[0] not in "LM":
        return "sign"
    name = unicodedata.name(character, "")
    if name.startswith("CJK"):
        return "chinese"
    return "latin" if name.startswith(("LATIN", "COMBINING")) else "other"
