"""Make questions from passages by rules, to learn from a knowledge base itself what its answers look like."""

import random
import re
from collections.abc import Iterator, Sequence

from retrieval.text.language import language_of
from agent.quoting.units import split_units
from preprocessing.document import Chunk
from retrieval.tokens import STOP_TOKENS

_SHORTEST = {"zh": 14, "en": 50}
_LONGEST = 160
"""Characters of a sentence that is asked about: a shorter one says too little, a longer one too much."""
_FIGURE = re.compile(r"\d[\d,.]*\s?(?:%|％)?")
_ENGLISH_WORD = re.compile(r"(?<![\w/:.])[A-Za-z][A-Za-z'-]*(?![\w/:])")
_KEPT_SHARE = 0.6
_LEAST_WORDS = 4


def made_questions(chunks: Sequence[Chunk], most: int, seed: int = 7) -> Iterator[tuple[str, Chunk]]:
    """Yield at most `most` (question, passage that answers it), spread over the passages, the same ones every time.

    A question is a sentence of the passage without its figures and without two of five of its telling words, as
    somebody may ask who does not know how it is put.
    """
    generator = random.Random(seed)
    drawn = list(chunks)
    generator.shuffle(drawn)
    made = 0
    for chunk in drawn:
        if made == most:
            return
        sentences = [unit.text for unit in split_units(chunk.text) if _says_enough(unit.text) and not unit.header]
        if sentences and (question := _asked(generator.choice(sentences), generator)):
            made += 1
            yield question, chunk


def _says_enough(sentence: str) -> bool:
    return _SHORTEST[language_of(sentence)] <= len(sentence) <= _LONGEST


def _asked(sentence: str, generator: random.Random) -> str:
    """Return the question, or nothing where too little is left to ask."""
    chinese = language_of(sentence) == "zh"
    kept = [word for word in _words(_FIGURE.sub(" ", sentence), chinese) if generator.random() < _KEPT_SHARE]
    telling = [word for word in kept if len(word) > 1 and word.lower() not in STOP_TOKENS]
    if len(telling) < _LEAST_WORDS:
        return ""
    return "".join(kept) + "？" if chinese else " ".join(kept) + "?"


def _words(sentence: str, chinese: bool) -> list[str]:
    if not chinese:
        return _ENGLISH_WORD.findall(sentence)
    # The dictionary takes a moment to load.
    import rjieba

    return [word for word in rjieba.cut(sentence) if word.strip() and word[0].isalnum()]
