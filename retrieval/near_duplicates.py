"""Hits that say the same are shown once, with the other sources."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from preprocessing.sentences import sentences
from retrieval.hit import Hit

_NUMBERING = re.compile(
    r"第\s*[0-9〇零一二三四五六七八九十百]+\s*[编篇章节]\s*"
    r"|[(（]?[一二三四五六七八九十]{1,3}[)）、.．]\s*"
    r"|[(（]?\d{1,2}(?:\.\d{1,2})*(?:[)）、.．]\s*|\s+)"
)
# Numbers with their signs, words, and every other letter or symbol alone; a table may say yes and no with ✓ and ✗.
_TOKEN = re.compile(
    r"[-+]?\d+(?:[.,:/-]\d+)*[%‰]?|[a-z]+(?:['’][a-z]+|\+\+|#)?|[^\W\d_]|[<>=+±×÷√≤≥$¥€£]|[\u2190-\u27bf]"
)
_ASCII_PART = re.compile(r"[a-z]+|\d")
_WEIGHTLESS = frozenset("的 了 之 于 在 请 the".split())


def once_each(hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits without those that say nothing that a better one does not; the better one names their sources.

    A hit is such a near duplicate when each of its sentences, and its heading, stands in one better hit: whatever their
    order, width, case, spaces, punctuation, and words without weight, such as 的 and the. It is never a guess from a
    share of equal letters: passages that differ in one number, name or `not` are alike in nearly all of them.
    """
    kept: list[Hit] = []
    said: list[_Said] = []
    for hit in hits:
        says = _Said(hit)
        place = next((place for place, better in enumerate(said) if better.says_all_of(says)), None)
        if place is None:
            kept.append(hit)
            said.append(says)
        else:
            kept[place] = with_sources(kept[place], [hit.chunk.source, *hit.also_in])
    return kept


def with_sources(hit: Hit, sources: Sequence[str]) -> Hit:
    """Return the hit with more sources that say the same, each once."""
    others = dict.fromkeys([*hit.also_in, *sources])
    others.pop(hit.chunk.source, None)
    return replace(hit, also_in=tuple(others))


class _Said:
    """What a hit says, worked out no further than a comparison needs."""

    def __init__(self, hit: Hit) -> None:
        heading = [_NUMBERING.sub("", hit.chunk.section[-1].strip(), count=1)] if hit.chunk.section else []
        self._heading, self._text = heading, hit.chunk.text

    def says_all_of(self, other: "_Said") -> bool:
        # Characters and words take a tenth of the time of sentences, and nearly always tell two passages apart.
        return other._parts <= self._parts and bool(other.statements) and other.statements <= self.statements

    @cached_property
    def _parts(self) -> frozenset[str]:
        folded = _fold("\n".join([self._text, *self._heading]))
        wide = {character for character in set(folded) if character > "\u2e7f" and character.isalnum()}
        return frozenset({*_ASCII_PART.findall(folded), *wide} - _WEIGHTLESS)

    @cached_property
    def statements(self) -> frozenset[str]:
        """The sentences in a form in which equal ones are equal.

        The innermost heading is one of them: `5 天` means another thing under 年假 than under 病假.
        """
        said = {_plain(sentence) for line in self._text.splitlines() for sentence in sentences(line)}
        return frozenset({*said, *(f"# {_plain(heading)}" for heading in self._heading if _plain(heading))} - {""})


def _plain(sentence: str) -> str:
    return " ".join(token for token in _TOKEN.findall(_fold(sentence)) if token not in _WEIGHTLESS)


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
