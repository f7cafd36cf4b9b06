"""Check that what each sentence says stands in the passages that it cites."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agent.citations import split_claims, without_labels
from agent.facts.contradiction import contradictions
from agent.facts.finding import Finding
from agent.facts.names import chinese_names_not_in, english_names_not_in, quotations
from agent.facts.normal import folded
from agent.facts.sequence import Token, read_sequence
from agent.facts.source import Source
from retrieval.text.language import language_of
from retrieval.tokens import query_tokens

MIN_WORDS = 4
_YES_OR_NO = re.compile(
    r"^[\s>*-]*(?:yes|no|correct|是的?|对的?|不是?|不行|否|没有|不?可以|不?能|不会|不用|不需要)[,.!;:，。！；：]\s*(?=\S)",
    re.IGNORECASE,
)
"""It answers the question; whether rightly, the sentence after it shows."""
_SAID_OTHERWISE = frozenset(("", "times", "people"))
"""Units of small numbers that another language may have as a word of its own, such as both or twice."""


@dataclass(frozen=True)
class Claim:
    """A sentence of an answer, the labels it cites, and what it says that none of the cited passages does."""

    text: str
    """As it stands in the answer, with its labels."""
    labels: tuple[str, ...]
    """Like `S1`, in order; empty for a sentence that cites nothing."""
    findings: tuple[Finding, ...] = ()

    @property
    def supported(self) -> bool:
        """Tell whether all of it was found; true for a claim without labels, which was not checked."""
        return not self.findings

    @property
    def missing(self) -> tuple[str, ...]:
        """Return what was not found, each thing once."""
        return tuple(dict.fromkeys(finding.said for finding in self.findings))


def check_claims(answer: str, passages: Mapping[str, str]) -> list[Claim]:
    """Return every claim of an answer with what its cited passages do not hold.

    `passages` maps labels such as `S1` to text; a label without a passage supports nothing.
    """
    sources = {label: Source(text) for label, text in passages.items()}
    return [
        Claim(text, labels, find(text, [sources[label] for label in labels if label in sources]) if labels else ())
        for text, labels in split_claims(answer)
    ]


def find(claim: str, sources: Sequence[Source]) -> tuple[Finding, ...]:
    """Return what the claim says and no source does, or the nearest sentence of them says otherwise.

    Left out, because they are rarely statements about the source: "one" and 一, other small English number words
    without a unit, counts of the answer's own list ("three conditions", 以下两点), and ordinals that number no clause
    (第三方, the first), unless the very sentence they come from has another.
    """
    bare = _YES_OR_NO.sub("", without_labels(claim))
    said = read_sequence(bare)
    found = [
        *_missing_facts(bare, said, sources),
        *_missing_words(bare, sources),
        *contradictions(said, sources),
    ]
    return tuple({finding.said: finding for finding in found}.values())


def coverage(claim: str, sources: Sequence[Source]) -> float | None:
    """Return the share of the claim's words that the sources hold, 0 to 1; None where that would say nothing.

    So it is for a claim of fewer than MIN_WORDS words, such as "Yes.", and for sources in another language.
    """
    bare = without_labels(claim)
    words = set(query_tokens(bare))
    same = [source.tokens for source in sources if source.language == language_of(bare)]
    return len(words & frozenset().union(*same)) / len(words) if same and len(words) >= MIN_WORDS else None


def _missing_facts(claim: str, said: Sequence[Token], sources: Sequence[Source]) -> list[Finding]:
    facts = [token.fact for token in said if token.fact and not token.fact.weak and token.fact.kind != "ordinal"]
    if not _of_one_language(claim, sources):
        facts = [
            fact for fact in facts if fact.unit not in _SAID_OTHERWISE or len(fact.value) > 1 or fact.kind != "number"
        ]
    return [Finding("missing", fact.text) for fact in facts if not any(source.facts.holds(fact) for source in sources)]


def _of_one_language(claim: str, sources: Sequence[Source]) -> list[Source]:
    return [source for source in sources if source.language == language_of(claim)]


def _missing_words(claim: str, sources: Sequence[Source]) -> list[Finding]:
    """Return quotations and names that stand in no source; a source in another language has them in other words."""
    same = _of_one_language(claim, sources)
    if not same:
        return []
    letters, words = "\n".join(source.letters for source in same), frozenset().union(*(one.words for one in same))
    quoted = [Finding("quotation", one) for one in quotations(claim) if folded(one) not in letters]
    named = [Finding("name", one) for one in english_names_not_in(words, claim)]
    return [*quoted, *named, *(Finding("name", one) for one in chinese_names_not_in(letters, claim))]
