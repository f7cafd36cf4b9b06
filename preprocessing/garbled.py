"""Text that is none: glyph names, characters of nobody's script, bytes of something else."""

import re
import unicodedata
from collections import Counter

_GLYPH_NAME = re.compile(r"/[A-Za-z]{1,5}\d?[0-9A-Fa-f]{1,4}(?=/|\s|$)|\(cid:\d+\)")
_MOST_BAD = 0.1
_MOST_SCRIPTS = 4


def is_garbled(text: str) -> bool:
    """Say whether the text is glyph names, characters of nobody's script, or a soup of many scripts."""
    characters = [char for char in text if not char.isspace()]
    if len(characters) < 10:
        return False
    names = sum(len(found[0]) for found in _GLYPH_NAME.finditer(text))
    bad = sum(1 for char in characters if char == "\ufffd" or unicodedata.category(char) in ("Co", "Cn", "Cc"))
    if (names if names > 30 else 0) + bad > _MOST_BAD * len(characters):
        return True
    letters = [char for char in characters if char.isalpha() and ord(char) > 0x7F]
    scripts = Counter(unicodedata.name(char, "UNKNOWN").split()[0].split("-")[0] for char in letters)
    return sum(1 for count in scripts.values() if count > 0.005 * len(characters)) > _MOST_SCRIPTS
