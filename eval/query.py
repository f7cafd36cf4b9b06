"""The nouns of a set: a question with its gold, and a passage."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Passage:
    """A ready-made piece of a document."""

    doc_id: str
    title: str
    section: str
    text: str


@dataclass(frozen=True, slots=True)
class Query:
    """A question with everything that is known about its answer."""

    query_id: str
    text: str
    place: str = ""
    """`file:line` it was read from."""
    kind: str = ""
    """Type of question, such as `natural` or `follow_up`; empty when the set does not say."""
    answerable: bool = True
    answers: tuple[str, ...] = ()
    """Any one suffices; each stands literally in a gold document."""
    must_contain: tuple[str, ...] = ()
    """What a passage must hold besides the answer."""
    gold_files: tuple[str, ...] = ()
    grades: Mapping[str, int] = field(default_factory=dict)
    """Passage → relevance above 0. Below the highest grade of a question stand acceptable alternatives."""
    history: tuple[tuple[str, str], ...] = ()
    """(role, text) of the conversation before the question."""
    gold_rewrite: str = ""
    reference_answer: str = ""
    """An answer in free words, where the set has one; it need not stand anywhere."""

    @property
    def references(self) -> tuple[str, ...]:
        """Return what an answer is held against: the gold answers, else the answer in free words."""
        return self.answers or ((self.reference_answer,) if self.reference_answer else ())
