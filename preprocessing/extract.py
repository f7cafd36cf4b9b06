"""What Folio makes of one file, to be looked at: its text, sections and chunks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from preprocessing.document import Chunk, source_of
from preprocessing.loader import Loader
from preprocessing.merge import calibrate
from preprocessing.prepare import ChunkingSettings, prepare
from preprocessing.sections import sections

Vectors = NDArray[np.float32]
Encode = Callable[[Sequence[str]], Vectors]


@dataclass(frozen=True, slots=True)
class Extract:
    """One file as an ingest would take it in."""

    source: str
    title: str
    text: str
    """All blocks in reading order, a blank line between two."""
    sections: tuple[tuple[str, ...], ...]
    """Each path of headings once, in reading order."""
    chunks: tuple[Chunk, ...]
    warnings: tuple[str, ...]


class Extractor:
    """Reads files one after another; the embedding model is opened by the first that needs it for merging."""

    def __init__(self, chunking: ChunkingSettings, open_encoder: Callable[[], Encode]) -> None:
        self._chunking = chunking
        self._open_encoder = open_encoder
        self._merging: tuple[Encode, float] | None = None
        self._loader = Loader()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._loader.close()

    def extract(self, path: Path, password: str | None = None) -> Extract:
        """Return what an ingest would make of the file. Raises LoadError."""
        document = self._loader.load(path, source=source_of(path), password=password)
        encode, unrelated = self._encoder() if self._chunking.max_pieces > 1 else (_no_vectors, 0.0)
        chunks, _ = prepare(document, document.content_hash, encode, self._chunking, unrelated)
        paths = dict.fromkeys(section.path for section in sections(document.blocks) if section.path)
        return Extract(
            source=document.source,
            title=document.title,
            text="\n\n".join(block.text for block in document.blocks),
            sections=tuple(paths),
            chunks=tuple(chunks),
            warnings=document.warnings,
        )

    def _encoder(self) -> tuple[Encode, float]:
        if self._merging is None:
            encode = self._open_encoder()
            self._merging = encode, calibrate(encode)
        return self._merging


def _no_vectors(texts: Sequence[str]) -> Vectors:
    """Stand in where nothing is merged, so that no model is opened to split a file."""
    return np.zeros((len(texts), 1), np.float32)
