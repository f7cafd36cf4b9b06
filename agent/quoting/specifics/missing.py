"""Terms of a question that its answer cannot do without and that no passage has."""

from collections.abc import Sequence

from agent.facts.normal import folded
from agent.quoting.specifics.codes import codes
from agent.quoting.specifics.names import unheard_names
from retrieval.text.language import language_of


def missing_specifics(question: str, passages: Sequence[str]) -> list[str]:
    """Return the specific terms of the question that stand in none of the passages, as they were written.

    They are codes, article numbers, years, versions, and names in a Chinese question. Case, width, separators (ERR-4032
    for err_4032) and the form of numerals do not matter.
    """
    evidence = "\n".join(passages)
    held = folded(evidence)
    # A document in another language has other words for a place and for 第46条; the first passage is the nearest.
    chinese = [language_of(text) for text in (question, *passages[:1])] == ["zh", "zh"]
    terms = [code for code in codes(question) if chinese or not code.startswith("第")]
    missing = [term for term in dict.fromkeys(terms) if folded(term) not in held]
    return [
        *missing,
        *(unheard_names(question, passages) if language_of(question) == "zh" else ()),
    ]
