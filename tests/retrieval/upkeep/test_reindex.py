"""All chunks get other vectors without a file being read; until the switch the old index is whole."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from preprocessing.merge import calibrate
from retrieval.documents.catalogue import Catalogue
from retrieval.documents.manifest import IndexMismatch
from retrieval.embed.embedder import Vectors
from retrieval.knowledge_base import KnowledgeBase
from retrieval.settings import RetrievalSettings
from retrieval.upkeep.migration import Transferred, reindex
from tests.fakes import CharacterEmbedder
from tests.retrieval.shared_base import LEAVE, PAY, TRAVEL, found, opened, write
from tests.retrieval.store.fake_qdrant import running

ROOT = Path(__file__).parents[3]


class OtherEmbedder(CharacterEmbedder):
    """Another model, with vectors half as long, whose unrelated texts have a cosine of their own."""

    model_id = "other"
    dimension = 512

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return _folded(super().embed_passages(texts))

    def embed_query(self, text: str) -> Vectors:
        return _folded(super().embed_query(text)[None])[0]


def _folded(vectors: Vectors) -> Vectors:
    halves = vectors[:, :512] + vectors[:, 512:]
    return np.asarray(halves / np.linalg.norm(halves, axis=1, keepdims=True), np.float32)


@pytest.fixture
def settings(tmp_path: Path) -> RetrievalSettings:
    return filled(RetrievalSettings(home=tmp_path / "home"))


@pytest.fixture(params=["folder", pytest.param("server", marks=pytest.mark.enable_socket)])
def either(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RetrievalSettings]:
    own = RetrievalSettings(home=tmp_path / "home")
    if request.param == "folder":
        yield filled(own)
        return
    with running() as fake:
        yield filled(own.model_copy(update={"qdrant_url": fake.url}))


def filled(settings: RetrievalSettings) -> RetrievalSettings:
    with opened(settings) as base:
        base.ingest([write("docs/leave.md", LEAVE), write("docs/travel.md", TRAVEL), write("docs/pay.md", PAY)])
        base.ingest([write("docs/copy.md", LEAVE)])
    return settings


def open_other(settings: RetrievalSettings) -> KnowledgeBase:
    return KnowledgeBase.open(settings, embedder=OtherEmbedder())


def test_another_model_is_refused_until_the_index_is_made_anew(either: RetrievalSettings) -> None:
    with opened(either) as base:
        documents = base.documents()
        unrelated = base.unrelated_similarity()
    with pytest.raises(IndexMismatch, match=r"made with the embedding model 'characters'.*run folio reindex"):
        open_other(either)
    shutil.rmtree("docs")
    embedder = OtherEmbedder()
    done = reindex(either, embedder=embedder)
    assert done.transferred == Transferred(documents=4, chunks=4, written=4)
    assert (done.embed_model, done.embedded) == ("other", True)
    with open_other(either) as base:
        assert base.documents() == documents
        assert base.unrelated_similarity() != unrelated
        assert base.unrelated_similarity() == pytest.approx(calibrate(embedder.embed_passages))
        assert base.health()["chunks"] == base.health()["keyword_chunks"] == 4
        (hit,) = base.search("探亲假", 1, "vector")
        (expected,) = embedder.embed_passages([hit.chunk.search_text])
        assert hit.chunk.text == "探亲假 20 天。"
        assert hit.legs["vector"].score == pytest.approx(float(expected @ embedder.embed_query("探亲假")), abs=1e-5)
        assert found(base, "ppr-9087", k=1, mode="keyword") == ["Hotels up to 500 yuan a night, form PPR-9087."]
        assert "工资每月十日发放。" not in found(base, "工资", k=20)
    with pytest.raises(IndexMismatch, match="made with the embedding model 'other'"):
        opened(either)


def test_files_are_still_known_as_unchanged(settings: RetrievalSettings) -> None:
    reindex(settings, embedder=OtherEmbedder())
    with open_other(settings) as base:
        report = base.ingest([Path("docs")])
        assert (report.unchanged, report.updated, report.failed) == (4, 0, [])
        assert base.ingest([write("docs/new.md", "# 新\n\n新的规定。\n")]).documents == 1
    reindex(settings, embedder=CharacterEmbedder())
    with opened(settings) as base:
        assert base.ingest([Path("docs")]).unchanged == 5


def test_the_same_model_keeps_its_vectors(settings: RetrievalSettings) -> None:
    embedder = CharacterEmbedder()
    for _ in range(3):
        done = reindex(settings, embedder=embedder)
        assert (done.transferred.chunks, done.embedded) == (4, False)
        with opened(settings) as base:
            assert found(base, "探亲假", k=1) == ["探亲假 20 天。"]
    # Only the sentences that tell how near unrelated texts are.
    assert not [text for text in embedder.texts if "探亲假 20 天" in text]


def test_a_stop_leaves_the_old_index_and_the_work_goes_on(either: RetrievalSettings) -> None:
    class Stopping(OtherEmbedder):
        def embed_passages(self, texts: Sequence[str]) -> Vectors:
            if len(self.texts) >= 2:
                raise KeyboardInterrupt
            return super().embed_passages(texts)

    with pytest.raises(KeyboardInterrupt):
        reindex(either, embedder=Stopping())
    with opened(either) as base:
        assert found(base, "探亲假", k=1) == ["探亲假 20 天。"]
    done = reindex(either, embedder=OtherEmbedder())
    assert 0 < done.transferred.written < done.transferred.chunks
    with open_other(either) as base:
        assert found(base, "探亲假", k=1, mode="vector") == ["探亲假 20 天。"]


def test_the_old_folder_is_removed_with_what_others_began(tmp_path: Path) -> None:
    settings = filled(RetrievalSettings(home=tmp_path / "home"))
    (settings.home / "store-00000000").mkdir()
    (settings.home / "store-00000000" / "store.lock").touch()
    (settings.home / "store-of-mine").mkdir()
    reindex(settings, embedder=OtherEmbedder())
    names = sorted(path.name for path in settings.home.iterdir() if path.name.startswith("store"))
    assert len(names) == 2
    assert "store-of-mine" in names
    assert not {"store", "store-00000000"} & set(names)


def test_keywords_of_another_tokenizer_are_written_anew(settings: RetrievalSettings) -> None:
    catalogue = Catalogue.in_folder(settings.home)
    catalogue.write_manifest(tokenizer="older")
    catalogue.close()
    reindex(settings, embedder=CharacterEmbedder())
    with opened(settings) as base:
        assert found(base, "ppr-9087", k=1, mode="keyword") == ["Hotels up to 500 yuan a night, form PPR-9087."]


KILLED = """
import os, signal, sys
from pathlib import Path
from retrieval.upkeep.migration import reindex
from retrieval.settings import RetrievalSettings
from tests.retrieval.upkeep.test_reindex import OtherEmbedder
left = [int(sys.argv[2])]
class Dying(OtherEmbedder):
    def embed_passages(self, texts):
        left[0] -= 1
        if left[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().embed_passages(texts)
reindex(RetrievalSettings(home=Path(sys.argv[1])), embedder=Dying())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
@pytest.mark.parametrize("document", [1, pytest.param(0, marks=pytest.mark.soak)])
def test_a_reindex_that_is_killed_at_any_document_can_be_started_again(tmp_path: Path, document: int) -> None:
    settings = filled(RetrievalSettings(home=tmp_path / "home"))
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(settings.home), str(document)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == -signal.SIGKILL
    with opened(settings) as base:
        assert base.health()["chunks"] == 4
        assert found(base, "探亲假", k=1) == ["探亲假 20 天。"]
    reindex(settings, embedder=OtherEmbedder())
    with open_other(settings) as base:
        assert found(base, "探亲假", k=1, mode="vector") == ["探亲假 20 天。"]
