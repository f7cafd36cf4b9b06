"""What the agent answers: sentences whose labels exist and whose facts stand in the passages they cite."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from agent.citations import cited_labels, remove_unknown_labels, split_claims
from agent.claims import check_claims
from agent.evidence import EvidenceLedger
from agent.facts import facts
from agent.quote import split_units
from retrieval.hit import Hit
from retrieval.tokens import query_tokens, tokenize

Action = Literal["kept", "labelled", "relabelled", "removed"]

ATTACH_COVERAGE = 0.75
"""Share of the words of a sentence without a label that a passage must hold to be taken as its source."""
_LABELS = re.compile(r"\s*(?:\[S\d+\])+")


@dataclass(frozen=True, slots=True)
class Citation:
    """A passage that the answer cites."""

    label: str
    chunk_id: str
    source: str
    section: str
    page: int | None
    quote: str
    """The sentence of the passage that bears the claim, word for word."""

    def as_json(self) -> dict[str, Any]:
        """Return the citation in the form of `folio ask --json`."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Check:
    """What became of one sentence of the answer."""

    claim: str
    labels: tuple[str, ...]
    supported: bool
    missing: tuple[str, ...]
    """Facts that stand in none of the cited passages."""
    action: Action


@dataclass(frozen=True, slots=True)
class CitedAnswer:
    """The answer to one question, or a refusal."""

    answer: str
    refused: bool
    reason: str | None
    """None for an answer; for a refusal `no_documents`, `not_found`, or `unsupported`."""
    citations: tuple[Citation, ...] = ()
    checks: tuple[Check, ...] = ()
    usage: Mapping[str, int] = field(default_factory=dict)
    passages: Mapping[str, Hit] = field(default_factory=dict)
    """The passages that it cites, by label; not part of the JSON form."""
    session: str = ""
    trace_id: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the answer in the form of `folio ask --json`."""
        return {
            "answer": self.answer,
            "refused": self.refused,
            "reason": self.reason,
            "citations": [citation.as_json() for citation in self.citations],
            "checks": [asdict(check) for check in self.checks],
            "usage": dict(self.usage),
            "session": self.session,
            "trace_id": self.trace_id,
        }


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """A reply after the checks: what may be shown, and what was wrong with it."""

    text: str
    labels: tuple[str, ...]
    checks: tuple[Check, ...]
    problems: tuple[str, ...]


def check_answer(reply: str, ledger: EvidenceLedger) -> CheckedAnswer:
    """Check each sentence against the passages it cites, and mend or remove what fails.

    Unknown labels go. A label at the end of a paragraph counts for the sentences before it. A sentence whose facts
    stand in another passage gets that label; one without any label gets that of a passage with nearly all its words.
    What is left without support is removed and named among the problems.
    """
    passages = ledger.passages()
    text, unknown = remove_unknown_labels(reply.strip(), passages)
    checks: list[Check] = []
    problems = [f"[{label}] is not the label of any passage" for label in unknown if not passages]
    for block in re.split(r"\n\s*\n", text):
        for sentence, labels in _with_labels_of_the_paragraph(split_claims(block)):
            check = _check(sentence, labels, passages)
            checks.append(check)
            text = _apply(text, sentence, check)
            if check.action == "removed":
                problems.append(_problem(check))
    text = re.sub(r"\n{3,}", "\n\n", text).strip()
    return CheckedAnswer(text, tuple(cited_labels(text)), tuple(checks), tuple(problems))


def cite(label: str, answer: str, ledger: EvidenceLedger) -> Citation:
    """Resolve a label of the answer to its passage, with the sentence that bears what the answer says."""
    chunk = ledger.get(label).hit.chunk
    claims = " ".join(text for text, labels in split_claims(answer) if label in labels) or answer
    wanted = set(query_tokens(claims))
    units = [unit.text for unit in split_units(chunk.text)] or [chunk.text]
    quote = max(units, key=lambda unit: len(wanted & set(tokenize(unit))) / (len(unit) + 40) ** 0.5)
    return Citation(label, chunk.chunk_id, chunk.source, " > ".join(chunk.section), chunk.page, quote)


def _with_labels_of_the_paragraph(claims: Sequence[tuple[str, tuple[str, ...]]]) -> list[tuple[str, tuple[str, ...]]]:
    """Give each sentence without a label the labels of the next one that has some."""
    given: list[tuple[str, tuple[str, ...]]] = []
    following: tuple[str, ...] = ()
    for text, labels in reversed(claims):
        following = labels or following
        given.append((text, following))
    return given[::-1]


def _check(sentence: str, labels: tuple[str, ...], passages: Mapping[str, str]) -> Check:
    if not labels:
        if _says_nothing(sentence):
            return Check(sentence, (), True, (), "kept")
        label = _source_of(sentence, passages)
        return Check(sentence, (label,), True, (), "labelled") if label else Check(sentence, (), False, (), "removed")
    missing = _missing(sentence, labels, passages)
    if not missing:
        return Check(sentence, labels, True, (), "kept")
    others = [label for label in passages if label not in labels and not _missing(sentence, (label,), passages)]
    if others and _coverage(sentence, passages[others[0]]) >= _coverage(sentence, passages[labels[0]]):
        return Check(sentence, (others[0],), True, (), "relabelled")
    return Check(sentence, labels, False, missing, "removed")


def _missing(sentence: str, labels: Sequence[str], passages: Mapping[str, str]) -> tuple[str, ...]:
    bare = _LABELS.sub("", sentence)
    relabelled = bare + "".join(f"[{label}]" for label in labels)
    return tuple(fact for claim in check_claims(relabelled, passages) for fact in claim.missing)


def _source_of(sentence: str, passages: Mapping[str, str]) -> str | None:
    fitting = [label for label in passages if not _missing(sentence, (label,), passages)]
    best = max(fitting, key=lambda label: _coverage(sentence, passages[label]), default=None)
    return best if best and _coverage(sentence, passages[best]) >= ATTACH_COVERAGE else None


def _coverage(sentence: str, passage: str) -> float:
    words = set(query_tokens(_LABELS.sub("", sentence)))
    return len(words & set(tokenize(passage))) / len(words) if words else 0.0


def _says_nothing(sentence: str) -> bool:
    """Say whether the line only leads to what follows, such as a heading or 以下为原文："""
    bare = sentence.strip().strip("*_")
    return not facts(sentence) and (bare.endswith((":", "：")) or bare.startswith("#"))


def _apply(text: str, sentence: str, check: Check) -> str:
    if check.action == "kept":
        return text
    if check.action == "removed":
        return re.sub(r"\s*" + re.escape(sentence), "", text, count=1)
    labels = "".join(f"[{label}]" for label in check.labels)
    return text.replace(sentence, f"{_LABELS.sub('', sentence).rstrip()} {labels}", 1)


def _problem(check: Check) -> str:
    if not check.labels:
        return f"no label: {check.claim}"
    cited = "".join(f"[{label}]" for label in check.labels)
    return f"{', '.join(check.missing)} does not stand in {cited}: {check.claim}"
