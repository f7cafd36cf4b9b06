"""A sentence or table row that may answer the question, with what speaks for it."""

from dataclasses import dataclass

from agent.evidence import supporting
from agent.quoting.units import Unit
from preprocessing.document import Chunk

SIMILARITY_WEIGHT, COVERAGE_WEIGHT, PLACE_WEIGHT = 1.0, 0.5, 0.02
CODE_WEIGHT = 1.0
"""A code such as ERR_4032 is meant to the letter, whatever else is alike."""
MATCHED_WEIGHT, COVERAGE_WEIGHT_MATCHED = 2.0, 0.25
"""Once tokens are matched they count most, and words say less that is new. Chosen on `hotpotqa_en` and `xquad_en`."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage that may be quoted."""

    label: str
    heading: str
    text: str

    @classmethod
    def of(cls, label: str, chunk: Chunk) -> "Passage":
        """Return what an answer may rely on of a chunk: orders to a model left out."""
        return cls(label, supporting(chunk.heading), supporting(chunk.text))

    @property
    def whole(self) -> str:
        """Return the headings and the text."""
        return f"{self.heading}\n{self.text}"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A unit in its passage, with how well it fits the question."""

    passage: Passage
    place: int
    """Rank of its passage, from 0."""
    unit: Unit
    coverage: float = 0.0
    """Share of the question's words, weighted by rarity, that stand in it or above it; 0 to 1."""
    similarity: float = 0.0
    """Cosine to the question on the scale where unrelated texts are 0 and equal ones 1."""
    codes: float = 0.0
    """Share of the question's codes that stand in it or above it; 0 to 1."""
    typed: bool = True
    """It holds an answer of the type that is asked for, where such an answer has a form of its own."""
    matched: float | None = None
    """Mean of the best cosines of the question's tokens in it, -1 to 1; None where that is not known."""

    @property
    def in_context(self) -> str:
        """Return headings, table header or lead-in, and text: what the unit means where it stands."""
        return f"{self.passage.heading}\n{self.unit.whole}" if self.passage.heading else self.unit.whole

    @property
    def score(self) -> float:
        """Return how well the unit fits the question."""
        score = SIMILARITY_WEIGHT * self.similarity - PLACE_WEIGHT * self.place
        score += CODE_WEIGHT * self.codes
        if self.matched is None:
            return score + COVERAGE_WEIGHT * self.coverage
        return score + COVERAGE_WEIGHT_MATCHED * self.coverage + MATCHED_WEIGHT * self.matched
