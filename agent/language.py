"""In which language to speak to the person who asks."""

import re
from typing import Literal

Language = Literal["zh", "en"]

_HAN = re.compile(r"[\u3400-\u9fff]")


def language_of(question: str) -> Language:
    """Return `zh` for a question with any Chinese character, else `en`."""
    return "zh" if _HAN.search(question) else "en"
