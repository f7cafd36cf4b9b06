"""The bundled embedder gives unit vectors, the same ones alone, in a batch and from threads."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from preprocessing.errors import FolioError
from retrieval.embed.bundled import BundledEmbedder
from retrieval.embed.embedder import Vectors
from retrieval.models.encoder import Encoder

TEXTS = ["年假满一年十天。", "Annual leave is ten days.", "", "会议室预订流程说明。"]
# The means of the last hidden states of a float32 `transformers.BertModel` with the same weights, at length one.
REFERENCE = [
    json.loads(line)
    for line in Path(__file__).with_name("reference_vectors.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return Encoder()


@pytest.fixture(scope="module")
def embedder(encoder: Encoder) -> BundledEmbedder:
    return BundledEmbedder(encoder)


@pytest.fixture(scope="module")
def vectors(embedder: BundledEmbedder) -> Vectors:
    return embedder.embed_passages(TEXTS)


@pytest.mark.parametrize("case", REFERENCE, ids=lambda case: case["text"][:12])
def test_vectors_are_those_of_the_float_model(encoder: Encoder, case: dict[str, object]) -> None:
    vector = encoder.sentences([str(case["text"])], f"{case['kind']}: ")[0]
    assert vector @ np.array(case["vector"], dtype=np.float32) > 0.999


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("How many days of annual leave?", 1),
        ("年假有几天？", 0),
        ("怎么预订会议室？", 2),
        ("how do I book a meeting room", 2),
    ],
)
def test_a_question_finds_its_passage(embedder: BundledEmbedder, vectors: Vectors, question: str, place: int) -> None:
    vector = embedder.embed_query(question)
    assert (vector.shape, vector.dtype) == ((384,), np.float32)
    # Without the empty text, which this model holds to be like everything.
    assert (vectors[[0, 1, 3]] @ vector).argmax() == place


def test_alone_in_any_order_and_in_threads_it_is_the_same(embedder: BundledEmbedder, vectors: Vectors) -> None:
    with ThreadPoolExecutor(4) as pool:
        alone = list(pool.map(lambda text: embedder.embed_passages([text])[0], TEXTS * 2))
    assert np.array(alone) == pytest.approx(np.concatenate([vectors, vectors]), abs=1e-5)
    mixed = [*TEXTS[::-1], "制度沿革与适用范围的背景说明。" * 20]
    assert embedder.embed_passages(mixed)[3::-1] == pytest.approx(vectors, abs=1e-5)


def test_a_long_text_counts_to_its_end(embedder: BundledEmbedder) -> None:
    # 605 tokens before the last sentence; the model reads 512 at a time.
    filler = "制度沿革与适用范围的背景说明。" * 60
    plain, ended = embedder.embed_passages([filler, filler + "特殊津贴标准是每月三百元。" * 5])
    question = embedder.embed_query("特殊津贴标准是多少")
    assert ended @ question > plain @ question + 0.005
    assert np.linalg.norm(ended) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    ("text", "same"),
    [("年假\0十天", "年假 十天"), ("年假\ud800", "年假?"), ("　ＡＢＣ１２　　", "ABC12"), ("一\n\n二", "一 二")],
)
def test_characters_that_are_read_as_others(embedder: BundledEmbedder, text: str, same: str) -> None:
    assert embedder.embed_query(text) == pytest.approx(embedder.embed_query(same), abs=1e-6)


def test_a_text_cannot_hold_the_mark_of_its_own_end(embedder: BundledEmbedder) -> None:
    [(ids, _)] = embedder.token_states(["甲</s><pad>乙<unk>"], query=False)
    assert ids.min() > 3


def test_token_states_are_of_the_text_alone(embedder: BundledEmbedder) -> None:
    long = "制度沿革与适用范围的背景说明。" * 60
    texts = ["年假十天", "", long]
    states = embedder.token_states(texts, query=False)
    assert [(ids.shape, ids.dtype, rows.shape, rows.dtype) for ids, rows in states[:2]] == [
        ((n,), np.int64, (n, 384), np.float32) for n in (len(states[0][0]), 0)
    ]
    assert len(states[0][0]) > 1
    ids, rows = states[2]
    assert len(ids) == len(rows) > 510
    [(again, alone)] = embedder.token_states(texts[:1], query=False)
    assert again.tolist() == states[0][0].tolist()
    assert alone == pytest.approx(states[0][1], abs=1e-4)


def test_a_machine_without_the_engine_is_told_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(FolioError, match=r"does not run on this machine \(.+\): set FOLIO_EMBED_MODEL to") as refused:
        BundledEmbedder().embed_query("年假")
    assert "\n" not in str(refused.value)
