"""Check that the facts of each sentence stand in the passages that it cites."""

from collections.abc import Mapping
from dataclasses import dataclass

from agent.citations import split_claims
from agent.facts import read_facts
from agent.facts.passage import PassageFacts


@dataclass(frozen=True)
class Claim:
    """A sentence of an answer, the labels it cites, and its facts that none of the cited passages holds."""

    text: str
    """As it stands in the answer, with its labels."""
    labels: tuple[str, ...]
    """Like `S1`, in order; empty for a sentence that cites nothing."""
    missing: tuple[str, ...]

    @property
    def supported(self) -> bool:
        """Tell whether every fact was found; true for a claim without labels, which was not checked."""
        return not self.missing


def check_claims(answer: str, passages: Mapping[str, str]) -> list[Claim]:
    """Return every claim of an answer with what its cited passages do not hold.

    `passages` maps labels such as `S1` to text; a label without a passage supports nothing. Left out, because they
    are rarely statements about the source: "one" and 一, other small English number words without a unit, counts of
    the answer's own list ("three conditions", 以下两点), and ordinals that number no clause (第三方, the first).
    """
    held = {label: PassageFacts.of(text) for label, text in passages.items()}
    claims = []
    for text, labels in split_claims(answer):
        cited = [held[label] for label in labels if label in held]
        stated = [fact for fact in read_facts(text) if not fact.weak] if labels else []
        missing = [fact.text for fact in stated if not any(passage.holds(fact) for passage in cited)]
        claims.append(Claim(text, labels, tuple(dict.fromkeys(missing))))
    return claims
