"""Passages and the rarest phrase of each: what a leg must find them by."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from preprocessing.document import Chunk
from retrieval.text_language import TextLanguage, language_of_text, runs_of

Kind = tuple[TextLanguage, str]
"""Language of the text, and `doc_type`."""

_PHRASES = 6
_CHARACTERS, _WORDS = 12, 5
"""Most that a phrase is long; a third of it is the least."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A passage with phrases of its language alone: one number in them could find it where the language cannot."""

    chunk: Chunk
    language: TextLanguage
    phrases: tuple[str, ...]
    """Never empty; of a passage without any sentence, all its words as one."""


def sample_by_kind(chunks: Iterable[Chunk], size: int) -> dict[Kind, list[Sample]]:
    """Return up to `size` passages of each language and type of document; the same ones each time."""
    kept: dict[Kind, list[tuple[bytes, Chunk]]] = {}
    for chunk in chunks:
        language = language_of_text(chunk.text)
        if language is None:
            continue
        of_kind = kept.setdefault((language, chunk.doc_type), [])
        of_kind.append((hashlib.blake2b(chunk.chunk_id.encode(), digest_size=8).digest(), chunk))
        if len(of_kind) > 20 * size:
            of_kind[:] = _smallest(of_kind, size)
    return {
        kind: [Sample(chunk, kind[0], _phrases(chunk.text, kind[0])) for _, chunk in _smallest(of_kind, size)]
        for kind, of_kind in sorted(kept.items())
    }


def rarest(samples: Sequence[Sample], chunks: Iterable[Chunk]) -> dict[str, str]:
    """Return the phrase of each sample, by chunk id, that stands in the fewest chunks; of equal ones the longest."""
    wanted = {phrase for sample in samples for phrase in sample.phrases}
    found = Counter(phrase for chunk in chunks for phrase in wanted if phrase in chunk.text)
    return {
        sample.chunk.chunk_id: min(sample.phrases, key=lambda phrase: (found[phrase], -len(phrase)))
        for sample in samples
    }


def _smallest(of_kind: list[tuple[bytes, Chunk]], size: int) -> list[tuple[bytes, Chunk]]:
    return sorted(of_kind, key=lambda one: one[0])[:size]


def _phrases(text: str, language: TextLanguage) -> tuple[str, ...]:
    runs = runs_of(text, language)
    if language == "zh":
        cut = [run[:_CHARACTERS] for run in runs if len(run) >= _CHARACTERS // 3]
    else:
        cut = [" ".join(run.split(" ")[:_WORDS]) for run in runs if run.count(" ") + 1 >= 1 + _WORDS // 3]
    step = max(1, len(cut) // _PHRASES)
    return tuple(cut[::step][:_PHRASES]) or (" ".join(runs),)
