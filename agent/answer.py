"""What the agent answers: sentences whose labels exist and whose facts stand in the passages they cite."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from agent.checks.citations import cited_labels, claim_spans, remove_unknown_labels, split_claims
from agent.checks.claims import FAILED, Check, check_claim, repaired_by_model
from agent.checks.facts import facts
from agent.checks.passage import Source
from agent.evidence import EvidenceLedger, supporting
from agent.quoting.units import split_units
from retrieval.hit import Hit
from retrieval.text.tokens import query_tokens, tokenize
from retrieval.text.writing import language_of

NOT_CONFIRMED = {"zh": "（文档未证实）", "en": "(not confirmed by the documents)"}
"""Follows a sentence that stays although its passage was not found to say it."""
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
    doc_id: str = ""
    revision: str = ""
    """State of the document in which it was read."""
    content_hash: str = ""
    """Of the file that the document was made from."""
    superseded_by: str | None = None
    """Source of the document that had taken its place already, where an older version was asked for."""

    def as_json(self) -> dict[str, Any]:
        """Return the citation in the form of `folio ask --json`."""
        shown = ("label", "chunk_id", "source", "section", "page", "quote")
        return {name: getattr(self, name) for name in shown}


@dataclass(frozen=True, slots=True)
class CitedAnswer:
    """The answer to one question, or a refusal."""

    answer: str
    refused: bool
    reason: str | None
    """None for an answer; else `no_documents`, `not_found`, `unsupported`, `underspecified` or `no_question`."""
    citations: tuple[Citation, ...] = ()
    checks: tuple[Check, ...] = ()
    usage: Mapping[str, int] = field(default_factory=dict)
    passages: Mapping[str, Hit] = field(default_factory=dict)
    """The passages that it cites, by label; not part of the JSON form."""
    session: str = ""
    trace_id: str = ""
    notices: tuple[str, ...] = ()
    """What a person should know beside the answer: which earlier answers of the session no longer hold."""

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
            # A script that knows nothing of it finds what it always found.
            **({"notices": list(self.notices)} if self.notices else {}),
        }


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """A reply after the checks: what may be shown, and what was wrong with it."""

    text: str
    labels: tuple[str, ...]
    checks: tuple[Check, ...]
    problems: tuple[str, ...]


def check_answer(reply: str, ledger: EvidenceLedger, failed: Sequence[Check] = ()) -> CheckedAnswer:
    """Check each sentence against the passages it cites, and mend, mark or remove what fails.

    Unknown labels go. A label at the end of a paragraph counts for the sentences before it. `failed` are the checks
    that a first reply did not pass: what this one says in their place was repaired.
    """
    sources = {label: Source(text) for label, text in ledger.passages().items()}
    text, unknown = remove_unknown_labels(reply.strip(), sources)
    parts: list[str] = []
    checks: list[Check] = []
    end = 0
    for start, stop, labels in _claims(text):
        check = check_claim(text[start:stop], labels, sources)
        written = _written(check)
        parts.append(text[end:start] if written else text[end:start].rstrip())
        parts.append(written)
        checks.append(check)
        end = stop
    whole = re.sub(r"\n{3,}", "\n\n", "".join([*parts, text[end:]])).strip()
    problems = [f"[{label}] is not the label of any passage" for label in unknown if not sources]
    problems += [f"{check.reason}: {check.claim}" for check in checks if check.status in FAILED]
    return CheckedAnswer(whole, tuple(cited_labels(whole)), tuple(repaired_by_model(checks, failed)), tuple(problems))


def _claims(text: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Yield where each claim begins and ends, with the labels in it, else those of the next one in its paragraph.

    What only leads to what follows, such as a heading or 以下为原文：, is no claim.
    """
    begin = 0
    for gap in [*re.finditer(r"\n\s*\n", text), None]:
        spans = [(begin + a, begin + b) for a, b in claim_spans(text[begin : gap.start() if gap else None])]
        given: list[tuple[int, int, tuple[str, ...]]] = []
        following: tuple[str, ...] = ()
        for start, stop in reversed(spans):
            own = tuple(cited_labels(text[start:stop]))
            following = own or following
            if own or not _says_nothing(text[start:stop]):
                given.append((start, stop, following))
        yield from reversed(given)
        begin = gap.end() if gap else begin


def _says_nothing(sentence: str) -> bool:
    bare = sentence.strip().strip("*_")
    return not facts(sentence) and (bare.endswith((":", "：")) or bare.startswith("#"))


def _written(check: Check) -> str:
    """Return the sentence as it is shown: with the labels that were found to hold, or marked, or not at all."""
    match check.status:
        case "removed":
            return ""
        case "unsupported":
            mark = NOT_CONFIRMED[language_of(check.claim)]
            return f"{_LABELS.sub('', check.claim).rstrip()} {mark}"
        case _ if check.labels != check.cited:
            return f"{_LABELS.sub('', check.claim).rstrip()} {''.join(f'[{label}]' for label in check.labels)}"
        case _:
            return check.claim


def cite(label: str, answer: str, ledger: EvidenceLedger) -> Citation:
    """Resolve a label of the answer to its passage, with the sentence that bears what the answer says."""
    hit = ledger.get(label).hit
    chunk = hit.chunk
    claims = " ".join(text for text, labels in split_claims(answer) if label in labels) or answer
    wanted = set(query_tokens(claims))
    units = [unit.text for unit in split_units(supporting(chunk.text))] or [chunk.text]
    quote = max(units, key=lambda unit: len(wanted & set(tokenize(unit))) / (len(unit) + 40) ** 0.5)
    return Citation(
        label=label,
        chunk_id=chunk.chunk_id,
        source=chunk.source,
        section=" > ".join(chunk.section),
        page=chunk.page,
        quote=quote,
        doc_id=chunk.doc_id,
        revision=chunk.revision,
        content_hash=chunk.content_hash,
        superseded_by=hit.superseded_by,
    )
