"""Judge one sentence of an answer: supported, repaired, removed or unsupported, and why."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from agent.citations import without_labels
from agent.claims import coverage, find
from agent.facts import read_facts
from agent.facts.source import Source
from retrieval.tokens import query_tokens

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
_SAME_SENTENCE = 0.5
"""Share of the words of a sentence that failed, in the one that the model wrote in its place."""


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
        (
            label
            for label in likely
            if not find(claim, [sources[label]]) and _is_said_together(claim, sources[label])
        ),
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
