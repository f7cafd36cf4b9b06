"""The story of this folder: a document becomes chunks, each with its vector."""

from collections.abc import Callable, Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, model_validator

from preprocessing.document import Chunk, Document
from preprocessing.merge import group_vector, joined_text, merge
from preprocessing.sections import sections
from preprocessing.sentences import cut
from preprocessing.split import Piece, split

Vectors = NDArray[np.float32]

PREPARE_VERSION = 4
"""Counts the changes after which the same file gives other chunks; documents of an earlier one are ingested anew."""


class ChunkingSettings(BaseModel):
    """How long pieces and chunks are, and how alike neighbours must be to become one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    piece_chars: int = Field(default=400, ge=20)
    """Most characters of a piece, the unit that is encoded."""
    max_chars: int = Field(default=1200, ge=20)
    """Most characters of a chunk."""
    max_pieces: int = Field(default=3, ge=1)
    merge_threshold: float = Field(default=0.7, ge=0.0, le=1.0)
    """Scaled similarity from which neighbours are merged: 0 is unrelated, 1 is equal."""

    @model_validator(mode="after")
    def _pieces_fit_chunks(self) -> Self:
        if self.piece_chars > self.max_chars:
            raise ValueError(f"piece_chars ({self.piece_chars}) must not be above max_chars ({self.max_chars})")
        return self


def prepare(
    document: Document,
    revision: str,
    encode: Callable[[Sequence[str]], Vectors],
    settings: ChunkingSettings,
    unrelated: float,
) -> tuple[list[Chunk], Vectors]:
    """Return the chunks of a document and their unit vectors, shape (chunks, dimension).

    Each piece is encoded once, in the form that is searched. `unrelated` comes from `merge.calibrate`.
    """
    pieces = [piece for section in sections(document.blocks) for piece in split(section, settings.piece_chars)]
    if not pieces:
        pieces = _headings_alone(document, settings.piece_chars)
    vectors = encode([_chunk(document, revision, 0, [piece]).search_text for piece in pieces])
    groups = merge(
        pieces,
        vectors,
        unrelated=unrelated,
        threshold=settings.merge_threshold,
        max_chars=settings.max_chars,
        max_pieces=settings.max_pieces,
    )
    members = [[pieces[index] for index in group] for group in groups]
    chunks = [_chunk(document, revision, index, group) for index, group in enumerate(members)]
    merged = [group_vector(group, vectors[list(indexes)]) for group, indexes in zip(members, groups, strict=True)]
    return chunks, np.stack(merged)


def chunk_id(doc_id: str, revision: str, index: int) -> str:
    """Return the id of a chunk: another for every state of the document."""
    return f"{doc_id}-{revision[:8]}-{index:04d}"


def _chunk(document: Document, revision: str, index: int, pieces: Sequence[Piece]) -> Chunk:
    return Chunk(
        chunk_id=chunk_id(document.doc_id, revision, index),
        doc_id=document.doc_id,
        revision=revision,
        index=index,
        text=joined_text(pieces),
        section=pieces[0].section,
        page=pieces[0].page,
        source=document.source,
        title=document.title,
        doc_type=document.doc_type,
        version=document.version,
        updated_at=document.updated_at,
        content_hash=document.content_hash,
        metadata=document.metadata,
        page_end=pieces[-1].page_end,
    )


def _headings_alone(document: Document, max_chars: int) -> list[Piece]:
    """Return the headings as text, for a document that has nothing else."""
    text = "\n\n".join(block.text for block in document.blocks)
    page = document.blocks[0].page if document.blocks else None
    return [Piece(part.strip(), page, (), "paragraph") for part in cut(text, max_chars)]
