"""Cut a text where a model counts too many tokens, instead of letting the model drop the tail."""

import re
from collections.abc import Sequence
from math import ceil
from typing import Any

Places = Sequence[tuple[int, int]]
"""Where in a text each of its tokens begins and ends."""

OVERLAP = 32
"""Tokens that neighbouring windows may share, so that a sentence cut by one is whole in the other."""
_LIKE_A_TOKEN = re.compile(r"[A-Za-z]{1,4}|\d{1,2}|[^\sA-Za-z\d]")
"""What a tokenizer that is not at hand makes at most one token of, in nearly every text."""


def windows(text: str, tokenizer: Any, size: int, overlap: int = 0) -> list[str]:
    """Return the text in equal pieces of at most `size` tokens, each beginning `overlap` before the last one ended.

    `tokenizer` is a fast Hugging Face tokenizer; a slow one knows no places in the text, and the text stays whole.
    """
    return _cut(text, _places(text, tokenizer), size, overlap)


def beginning(text: str, tokenizer: Any, size: int) -> str:
    """Return the first `size` tokens of the text; all of it with a slow tokenizer."""
    return _first(text, _places(text, tokenizer), size)


def estimated_windows(text: str, size: int, overlap: int = 0) -> list[str]:
    """Return the text in equal pieces of about at most `size` tokens, for a model whose tokenizer is elsewhere."""
    return _cut(text, _estimated(text), size, overlap)


def estimated_beginning(text: str, size: int) -> str:
    """Return about the first `size` tokens of the text."""
    return _first(text, _estimated(text), size)


def estimated_tokens(text: str) -> int:
    """Return about how many tokens a model counts; rather too many than too few."""
    return len(_estimated(text))


def _places(text: str, tokenizer: Any) -> Places:
    if not getattr(tokenizer, "is_fast", False):
        return ()
    encoded = tokenizer(
        text, add_special_tokens=False, return_offsets_mapping=True, truncation=False, padding=False, verbose=False
    )
    places: Places = encoded["offset_mapping"]
    return places


def _estimated(text: str) -> Places:
    return [match.span() for match in _LIKE_A_TOKEN.finditer(text)]


def _cut(text: str, places: Places, size: int, overlap: int) -> list[str]:
    if len(places) <= size:
        return [text]
    # Pieces of one length: a last one of a few tokens would say little, and little of that rightly.
    new = len(places) - overlap
    step = ceil(new / ceil(new / max(size - overlap, 1)))
    starts = range(0, new, step)
    return [text[places[start][0] : places[min(start + step + overlap, len(places)) - 1][1]] for start in starts]


def _first(text: str, places: Places, size: int) -> str:
    return text if len(places) <= size else text[places[0][0] : places[size - 1][1]]
