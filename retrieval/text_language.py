"""The language of a passage, and its words in that language alone."""

import re
from typing import Literal

TextLanguage = Literal["zh", "en"]

_HAN_RUN = re.compile(r"[\u3400-\u9fff]+")
_LATIN_WORDS = re.compile(r"[A-Za-z]+(?:[ ][A-Za-z]+)*")


def language_of_text(text: str) -> TextLanguage | None:
    """Return `zh` when the text has more Chinese characters than Latin words, else `en`; None when it has neither."""
    characters = sum(map(len, _HAN_RUN.findall(text)))
    words = sum(len(run.split()) for run in _LATIN_WORDS.findall(text))
    if not characters and not words:
        return None
    return "zh" if characters > words else "en"


def runs_of(text: str, language: TextLanguage) -> list[str]:
    """Return the unbroken runs of Chinese characters, or of Latin words, as they stand in the text."""
    return (_HAN_RUN if language == "zh" else _LATIN_WORDS).findall(text)
