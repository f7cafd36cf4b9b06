"""Hold each sentence of an answer against the passages that it cites: supported, repaired, removed or unsupported."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from agent.checks.citations import without_labels
from agent.checks.contradiction import contradictions
from agent.checks.facts import read_facts
from agent.checks.finding import Finding
from agent.checks.numerals import EMPHASIS, folded
from agent.checks.passage import Source, Token, names_not_in, quotations, read_sequence
from retrieval.text.tokens import query_tokens
from retrieval.text.writing import language_of

Status = Literal["supported", "repaired", "removed", "unsupported"]
FAILED = frozenset[Status](("removed", "unsupported"))

ATTACH_COVERAGE = 0.75
"""Share of a sentence's words that a passage must hold to be taken as its source."""
CLEARLY_BETTER = 0.2
"""How much more of the words another passage must hold than the cited one, to take its place."""
BESIDE = 1 / 3
"""Share of a sentence's words that must stand beside a value for it to be the one that is meant."""
MIN_COVERAGE = 0.4
"""Share of the words below which the cited passages are not found to say it."""
MIN_WORDS = 4
"""Words of a sentence from which their share says anything."""
_SAME_SENTENCE = 0.5
"""Share of the words of a sentence that failed, in the one that the model wrote in its place."""
_YES_OR_NO = re.compile(
    r"^[\s>*-]*(?:yes|no|correct|是的?|对的?|不是?|不行|否|没有|不?可以|不?能|不会|不用|不需要)[,.!;:，。！；：]\s*(?=\S)",
    re.IGNORECASE,
)
"""It answers the question; whether rightly, the sentence after it shows."""
_SAID_OTHERWISE = frozenset(("", "times", "people"))
"""Units of small numbers that another language may have as a word of its own, such as both or twice."""


@dataclass(frozen=True, slots=True)
class Check:
    """What became of one sentence of the answer."""

    claim: str
    """As the model wrote it."""
    labels: tuple[str, ...]
    """The passages that it stands on now."""
    status: Status
    """Unsupported: nothing in it was seen to be wrong, but its passages do not say it either; it stays, marked."""
    reason: str = ""
    """Why it is not simply supported."""
    missing: tuple[str, ...] = ()
    """What stands in none of the cited passages."""
    cited: tuple[str, ...] = ()
    """The passages that it cited."""


def check_claim(claim: str, labels: tuple[str, ...], sources: Mapping[str, Source]) -> Check:
    """Judge a sentence by the passages it cites; where another one is its source, give it that label.

    Raises KeyError for a label without a source.
    """
    if not labels:
        label = _source_of(claim, sources)
        if label:
            return Check(claim, (label,), "repaired", f"it cited nothing; [{label}] says it")
        return Check(claim, (), "removed", "no label, and no passage says it")
    cited, own = "".join(f"[{label}]" for label in labels), [sources[label] for label in labels]
    others = {label: source for label, source in sources.items() if label not in labels}
    findings, share = find(claim, own), coverage(claim, own)
    missing = tuple(dict.fromkeys(finding.said for finding in findings if finding.said))
    least = max(ATTACH_COVERAGE, (share or 0.0) + (0.0 if findings else CLEARLY_BETTER))
    may_be_elsewhere = share is not None and not any(finding.contradicts for finding in findings)
    if may_be_elsewhere and least <= 1 and (label := _source_of(claim, others, least)):
        return Check(claim, (label,), "repaired", f"it cited {cited}; [{label}] says it", missing, labels)
    if findings:
        reason = "; ".join(finding.reason(cited) for finding in findings)
        return Check(claim, labels, "removed", reason, missing, labels)
    if share is not None and share < MIN_COVERAGE:
        return Check(claim, (), "unsupported", f"{cited} hardly holds a word of it", (), labels)
    return Check(claim, labels, "supported", cited=labels)


def repaired_by_model(checks: Sequence[Check], failed: Sequence[Check]) -> Iterator[Check]:
    """Yield the checks of a second reply, told apart by what they mend; then what the model left out of it."""
    for check in checks:
        before = next((one for one in failed if _is_same_sentence(one, check)), None)
        if before and check.status == "supported" and check.claim != before.claim:
            yield Check(check.claim, check.labels, "repaired", before.reason, before.missing, check.cited)
        else:
            yield check
    for one in failed:
        if not any(_is_same_sentence(one, check) for check in checks):
            yield Check(one.claim, (), "removed", one.reason, one.missing, one.cited)


def _is_same_sentence(failed: Check, check: Check) -> bool:
    words = set(query_tokens(failed.claim))
    return len(words & set(query_tokens(check.claim))) >= _SAME_SENTENCE * len(words)


def _source_of(claim: str, sources: Mapping[str, Source], least: float = ATTACH_COVERAGE) -> str | None:
    """Return the label of the passage that holds most of the words, at least that share, and nothing against it."""
    shares = {label: coverage(claim, [source]) or 0.0 for label, source in sources.items()}
    likely = sorted((label for label in shares if shares[label] >= least), key=lambda label: -shares[label])
    return next(
        (label for label in likely if not find(claim, [sources[label]]) and _is_said_together(claim, sources[label])),
        None,
    )


def _is_said_together(claim: str, source: Source) -> bool:
    """Say whether each value of the claim stands beside words of it: another one may be about something else.

    Beside is within two sentences that follow one another, which hold a third of the words.
    """
    bare = without_labels(claim)
    words = {token for token in query_tokens(bare) if len(token) > 1 and not token.isdecimal()}
    values = [fact for fact in read_facts(bare) if not fact.weak]
    return all(
        any(
            window.facts.holds(value) and len(words & window.tokens) >= BESIDE * len(words) for window in source.windows
        )
        for value in values
    )


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
    named = [Finding("name", one) for one in names_not_in(words, EMPHASIS.sub("", claim))]
    return [*quoted, *named]
