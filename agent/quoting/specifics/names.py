"""Names in Latin letters that a question has and no passage."""

import re
import unicodedata
from collections.abc import Sequence

from agent.facts.normal import folded
from retrieval.text.language import language_of

_NAME_IN_CHINESE = re.compile(r"(?<![A-Za-z\d])[A-Z][A-Za-z]{2,}(?: [A-Z][A-Za-z]+)*(?![A-Za-z\d_-])")
_NAME_IN_ENGLISH = re.compile(r"(?<=[a-z,;:'’] )[A-Z][A-Za-z]{2,}(?: [A-Z][A-Za-z]+)*\b(?![\d_-])")
"""Not at the beginning of a sentence, where any word has a capital letter."""
_NO_NAME = frozenset("APP CEO CFO CTO COO FAQ PRC".split())
"""Names that a document may have another word for."""


def unheard_names(question: str, passages: Sequence[str]) -> list[str]:
    """Return the names in Latin letters of which no word stands in the passages.

    None in an English question where passages are Chinese, which spell them otherwise.
    """
    evidence, asked_in = "\n".join(passages), language_of(question)
    if asked_in == "en" and language_of(evidence) == "zh":
        return []
    held, pattern = folded(evidence), _NAME_IN_CHINESE if asked_in == "zh" else _NAME_IN_ENGLISH
    names = dict.fromkeys(match[0] for match in pattern.finditer(unicodedata.normalize("NFKC", question)))
    return [
        name
        for name in names
        if name not in _NO_NAME and not any(folded(word).removesuffix("s") in held for word in name.split())
    ]
