from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from pydantic import ValidationError

from preprocessing.document import Block, Document
from preprocessing.prepare import ChunkingSettings, prepare


class Encoder:
    """Gives every text the same unit vector and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        return np.tile(np.array([0.6, 0.8], np.float32), (len(texts), 1))


def document(*blocks: Block) -> Document:
    return Document("d1", "kb/休假.md", "休假制度", blocks, "md", "hash", version="2", metadata={"department": "人事"})


BLOCKS = (
    Block("heading", "年假", 1),
    Block("paragraph", "一" * 30 + "。"),
    Block("paragraph", "二" * 30 + "。"),
    Block("heading", "病假", 1),
    Block("paragraph", "三天。"),
)
SETTINGS = ChunkingSettings(piece_chars=40, max_chars=100)


def test_chunks_carry_place_and_metadata() -> None:
    chunks, vectors = prepare(document(*BLOCKS), "revision-1", Encoder(), SETTINGS, 0.0)
    assert [(chunk.chunk_id, chunk.section, chunk.index) for chunk in chunks] == [
        ("d1-revision-0000", ("年假",), 0),
        ("d1-revision-0001", ("病假",), 1),
    ]
    assert chunks[0].text == f"{'一' * 30}。\n\n{'二' * 30}。"
    assert (chunks[1].version, chunks[1].metadata, chunks[1].doc_type) == ("2", {"department": "人事"}, "md")
    assert vectors == pytest.approx(np.array([[0.6, 0.8], [0.6, 0.8]]))


def test_each_piece_is_encoded_once_in_the_form_that_is_searched() -> None:
    encoder = Encoder()
    prepare(document(*BLOCKS), "r", encoder, SETTINGS, 0.0)
    assert encoder.asked == [
        f"休假制度 > 年假\n{'一' * 30}。",
        f"休假制度 > 年假\n{'二' * 30}。",
        "休假制度 > 病假\n三天。",
    ]


def test_a_document_of_headings_only_is_found_by_them() -> None:
    chunks, vectors = prepare(document(Block("heading", "目标", 1)), "r", Encoder(), ChunkingSettings(), 0.0)
    assert [chunk.text for chunk in chunks] == ["目标"]
    assert vectors.shape == (1, 2)


def test_a_piece_is_no_longer_than_a_chunk() -> None:
    with pytest.raises(ValidationError, match=r"piece_chars \(100\) must not be above max_chars \(99\)"):
        ChunkingSettings(piece_chars=100, max_chars=99)
