"""Find from the documents themselves how sure an answer must be: the story of `folio calibrate`."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent.quoting.candidate import Passage
from agent.quoting.confidence import LEAST_CONFIDENCE
from agent.quoting.made_questions import made_questions
from agent.quoting.quote import Quoter
from preprocessing.errors import FolioError
from retrieval.hit import Hit
from retrieval.knowledge_base import KnowledgeBase

MOST_QUESTIONS = 80
LEAST_QUESTIONS = 15
"""Made questions from which their spread says anything."""
SURE_SHARE = 0.95
"""Share of the made questions that are answered with the confidence that the limit is taken from."""
LESS_SURE = 0.6
"""How sure the questions of people are beside made ones, which keep the words of their passage.

On `xquad_en` and `hotpotqa_en` a tenth of the former lies below 0.56 and 0.74 of where a twentieth of the latter does.
"""
BOUNDS = (0.1, 0.4)
"""Confidence within which the limit is kept."""
_NOTE = "least_confidence"


@dataclass(frozen=True, slots=True)
class Calibration:
    """What a knowledge base asks of an answer."""

    least: float
    """Confidence below which a question is refused."""
    questions: int
    refused: float
    """Share of the made questions that it refuses."""
    refused_without: float
    """Share that it refuses once the passage that the question was made from is left out."""


def least_confidence(knowledge_base: KnowledgeBase) -> float:
    """Return the confidence below which a question to this knowledge base is refused."""
    return float(knowledge_base.noted(_NOTE) or LEAST_CONFIDENCE)


def forget_calibration(knowledge_base: KnowledgeBase) -> None:
    """Go back to the limit that holds where nothing was calibrated."""
    knowledge_base.note(_NOTE, None)


def calibrate(knowledge_base: KnowledgeBase, quoter: Quoter, k: int) -> Calibration:
    """Ask made questions with and without their passage, put the limit where few of people's are refused, keep it.

    `k` is how many passages a question is answered from. Raises FolioError when fewer than 15 questions can be made.
    """
    sure: list[float] = []
    sure_without: list[float] = []
    for question, chunk in made_questions(knowledge_base.passages(), MOST_QUESTIONS):
        hits = knowledge_base.search(question, k + 1)
        others = [hit for hit in hits if hit.chunk.chunk_id != chunk.chunk_id]
        sure_without.append(quoter.confidence(question, _passages(others[:k])))
        if len(others) < len(hits):
            sure.append(quoter.confidence(question, _passages(hits[:k])))
    if len(sure) < LEAST_QUESTIONS:
        raise FolioError(
            f"only {len(sure)} questions could be made from the documents, and {LEAST_QUESTIONS} are needed: "
            "ingest more documents before folio calibrate; until then the default limit holds"
        )
    sure_enough = sorted(sure)[int((1 - SURE_SHARE) * len(sure))]
    least = min(max(LESS_SURE * sure_enough, BOUNDS[0]), BOUNDS[1])
    knowledge_base.note(_NOTE, round(least, 3))
    return Calibration(round(least, 3), len(sure), _share_below(least, sure), _share_below(least, sure_without))


def _share_below(least: float, sure: Sequence[float]) -> float:
    return round(sum(one < least for one in sure) / len(sure), 3)


def _passages(hits: Sequence[Hit]) -> list[Passage]:
    return [Passage.of(f"S{number}", hit.chunk) for number, hit in enumerate(hits, start=1)]
