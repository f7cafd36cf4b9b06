from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from eval.sets.vector_cache import BATCH, PROBE, CachedEmbedder, vector_cache
from retrieval.embed.embedder import Vectors
from tests.fakes import CharacterEmbedder


class StopsAfterOneBatch(CharacterEmbedder):
    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        if len(self.texts) > 1:
            raise KeyboardInterrupt
        return super().embed_passages(texts)


def test_a_text_is_embedded_once_ever(tmp_path: Path) -> None:
    texts = ["住宿标准", "餐补", "住宿标准", ""]
    expected = CharacterEmbedder().embed_passages(texts)
    first, second = CharacterEmbedder(), CharacterEmbedder()
    for embedder in (first, second):
        with vector_cache(tmp_path / "new" / "vectors.sqlite3") as connection:
            found = CachedEmbedder(embedder, connection).embed_passages(texts)
        np.testing.assert_array_equal(found, expected)
        assert found.dtype == np.float32
    assert first.texts == [PROBE, "住宿标准", "餐补", ""]
    assert second.texts == [PROBE]


def test_a_model_built_anew_under_its_old_name_has_its_own_vectors(tmp_path: Path) -> None:
    class Anew(CharacterEmbedder):
        def embed_passages(self, texts: Sequence[str]) -> Vectors:
            return super().embed_passages([text[::2] for text in texts])

    with vector_cache(tmp_path / "v") as connection:
        old = CachedEmbedder(CharacterEmbedder(), connection).embed_passages(["abc"])
        new = CachedEmbedder(Anew(), connection).embed_passages(["abc"])
    np.testing.assert_array_equal(new, CharacterEmbedder().embed_passages(["ac"]))
    assert not np.array_equal(old, new)


def test_what_was_embedded_before_a_stop_is_kept(tmp_path: Path) -> None:
    texts = [f"text {number}" for number in range(BATCH + 3)]
    with vector_cache(tmp_path / "v") as connection, pytest.raises(KeyboardInterrupt):
        CachedEmbedder(StopsAfterOneBatch(), connection).embed_passages(texts)
    after, steps = CharacterEmbedder(), []
    with vector_cache(tmp_path / "v") as connection:
        CachedEmbedder(after, connection, lambda done, total: steps.append((done, total))).embed_passages(texts)
    assert after.texts == [PROBE, *texts[BATCH:]]
    assert steps == [(BATCH, BATCH + 3), (BATCH + 3, BATCH + 3)]
