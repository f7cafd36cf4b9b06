"""The language of a question or a passage, and its words in that language alone."""

import re
from typing import Literal

Language = Literal["zh", "en"]

_HAN_RUN = re.compile(r"[\u3400-\u9fff]+")
_LATIN_WORDS = re.compile(r"[A-Za-z]+(?:[ ][A-Za-z]+)*")
_LATIN_TO_ONE_HAN = 4
"""Latin words that one Chinese character outweighs: a Chinese question about a long English message stays Chinese, and
an English page that quotes a Chinese name stays English."""


def language_of(text: str) -> Language:
    """Return `zh` when Chinese characters make out a fair share of the text, else `en`, also for one of no words."""
    characters = sum(map(len, runs_of(text, "zh")))
    return "zh" if characters and _LATIN_TO_ONE_HAN * characters > _latin_words(text) else "en"


def runs_of(text: str, language: Language) -> list[str]:
    """Return the unbroken runs of Chinese characters, or of Latin words, as they stand in the text."""
    return (_HAN_RUN if language == "zh" else _LATIN_WORDS).findall(text)


def _latin_words(text: str) -> int:
    return sum(len(run.split()) for run in runs_of(text, "en"))
