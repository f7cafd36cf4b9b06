"""Places in a Chinese question."""

import unicodedata

_NO_PLACE = frozenset("中国 国内 我国 国外".split())
_DIRECTIONS = frozenset("东西南北新旧上下左右前后内外大小老")
"""A word of these alone, such as 东西 or 新旧, is taken for a place by the tagger."""


def places(question: str) -> list[str]:
    """Return the places that the tagger knows, in their order."""
    # The dictionary takes a moment to load.
    import rjieba

    tagged = rjieba.tag(unicodedata.normalize("NFKC", question))
    return [word for word, tag in tagged if tag == "ns" and word not in _NO_PLACE and not set(word) <= _DIRECTIONS]
