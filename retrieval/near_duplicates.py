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
    # What counts something is no number of the heading: 24 个月以上, 1.5 倍.
    r"|[(（]?\d{1,2}(?:\.\d{1,2})*(?:[)）、]\s*|[.．]\s+)"
    r"|\d{1,2}(?:\.\d{1,2})+\s+(?![倍折万亿元个米天%]|[年月日](?:[以内及之满至]|$))"
)
# Numbers with their signs, words, and every other letter or symbol alone; a table may say yes and no with ✓ and ✗, and
# a status report with 🟢 and 🔴.
_TOKEN = re.compile(
    r"[-+^]?\d+(?:[.,:/-]\d+)*[%‰]?|[a-z]+(?:['’][a-z]+|\+\+|#)?|[^\W\d_]|[<>=+±×÷√≤≥$¥€£]"
    r"|[\u2190-\u27bf\U0001f000-\U0001faff]"
)
_POWER = re.compile("[⁰¹²³⁴-⁹]+")
_DASHES = dict.fromkeys(map(ord, "‐‑‒–−"), "-")
_ASCII_PART = re.compile(r"[a-z]+|\d")
_WEIGHTLESS = frozenset("的 了 之 于 在 请 the".split())


def once_each(hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits without those that say nothing that a better one does not; the better one names their sources.

    A hit is such a near duplicate when each of its sentences, and its heading, stands in one better hit: whatever their
    order, width, case, spaces, punctuation, and words without weight, such as 的 and the. Within one document the
    headings above must be the same too. It is never a guess from a share of equal letters: passages that differ in one
    number, name or `not` are alike in nearly all of them.
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
        *self._above, heading = hit.chunk.section or ("",)
        self._doc_id, self._text = hit.chunk.doc_id, hit.chunk.text
        self._heading = [_unnumbered(heading.strip())] if heading else []

    def says_all_of(self, other: "_Said") -> bool:
        # One document says the same of two things: 5 天 of the leave of employees, and of that of interns.
        if self._doc_id == other._doc_id and self._above != other._above:
            return False
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


def _unnumbered(heading: str) -> str:
    numbering = _NUMBERING.match(heading)
    return heading[numbering.end() :] if numbering else heading


def _plain(sentence: str) -> str:
    return " ".join(token for token in _TOKEN.findall(_fold(sentence)) if token not in _WEIGHTLESS)


def _fold(text: str) -> str:
    raised = _POWER.sub(lambda power: f"^{power[0]}", text)  # 10⁶ is not 106
    return unicodedata.normalize("NFKC", raised).translate(_DASHES).casefold()
