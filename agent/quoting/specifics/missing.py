"""Terms of a question that its answer cannot do without and that no passage has."""

from collections.abc import Sequence

from agent.facts.normal import folded
from retrieval.text.language import language_of
from agent.quoting.specifics.articles import articles_elsewhere
from agent.quoting.specifics.codes import codes
from agent.quoting.specifics.kinds import other_kinds
from agent.quoting.specifics.lacks import had_by_all
from agent.quoting.specifics.names import unheard_names
from agent.quoting.specifics.places import places


def missing_specifics(question: str, passages: Sequence[str]) -> list[str]:
    """Return the specific terms of the question that stand in none of the passages, as they were written.

    They are codes, article numbers, years, versions, places, names in a Chinese question, kinds of a thing, and what
    somebody who is asked for must not have. Case, width, separators (ERR-4032 for err_4032) and the form of numerals do
    not matter. An article of a named rule must stand in a passage of that rule.
    """
    evidence = "\n".join(passages)
    held = folded(evidence)
    # A document in another language has other words for a place and for 第46条; the first passage is the nearest.
    chinese = [language_of(text) for text in (question, *passages[:1])] == ["zh", "zh"]
    terms = [code for code in codes(question) if chinese or not code.startswith("第")]
    terms += places(question) if chinese else []
    missing = [term for term in dict.fromkeys(terms) if folded(term) not in held]
    return [
        *missing,
        *(unheard_names(question, passages) if language_of(question) == "zh" else ()),
        *other_kinds(question, held),
        *articles_elsewhere(question, passages),
        *had_by_all(question, evidence),
    ]
