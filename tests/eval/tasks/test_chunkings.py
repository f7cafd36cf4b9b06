from pathlib import Path

import numpy as np
import pytest

from eval.tasks.chunking import chunkings, fixed, text_of
from preprocessing.document import Document
from preprocessing.load import load
from preprocessing.prepare import ChunkingSettings
from tests.fakes import CharacterEmbedder


@pytest.fixture
def document(tmp_path: Path) -> Document:
    path = tmp_path / "a.md"
    path.write_text(
        "# 制度\n\n## 住宿\n\n" + "每晚标准为五百元。" * 100 + "\n\n## Meals\n\nOne hundred a day.\n", encoding="utf-8"
    )
    return load(path, source="a.md")


def test_fixed_cuts_lose_nothing(document: Document) -> None:
    chunks, vectors = fixed(500)(document, CharacterEmbedder().embed_passages, 0.0)
    assert "".join(chunk.text for chunk in chunks) == text_of(document)
    assert [len(chunk.text) for chunk in chunks] == [500, len(text_of(document)) - 500]
    assert vectors.shape == (2, CharacterEmbedder.dimension)
    assert {chunk.source for chunk in chunks} == {"a.md"}


def test_ours_are_compared_at_two_thresholds(document: Document) -> None:
    compared = chunkings(ChunkingSettings(merge_threshold=0.7), 0.25)
    ours = ["merge at 0.7", "merge at 0.25", "merge at 0.7, no headings"]
    assert list(compared) == ["fixed 500", "recursive 800", *ours]
    for chunking in compared.values():
        chunks, vectors = chunking(document, CharacterEmbedder().embed_passages, 0.0)
        assert len(chunks) == len(vectors)
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-5)


def test_without_headings_the_chunks_are_the_same_but_for_them(document: Document) -> None:
    embedder = CharacterEmbedder()
    compared = chunkings(ChunkingSettings(merge_threshold=0.7), 0.25)
    ours, _ = compared["merge at 0.7"](document, embedder.embed_passages, 0.0)
    bare, vectors = compared["merge at 0.7, no headings"](document, embedder.embed_passages, 0.0)
    assert [chunk.text for chunk in bare] == [chunk.text for chunk in ours]
    assert [chunk.search_text for chunk in bare] == [chunk.text for chunk in ours]
    assert all(chunk.search_text != chunk.text for chunk in ours)
    np.testing.assert_allclose(vectors, embedder.embed_passages([chunk.text for chunk in ours]))
