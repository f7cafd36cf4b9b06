"""A trained cross-encoder becomes a graph that gives the same scores, alone and in any company."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from preprocessing.errors import FolioError
from retrieval.hit import Hit
from retrieval.models.artefacts import CROSS_ENCODER, write_checksums
from retrieval.models.build_cross_encoder import EXACT_GRAPH, build
from retrieval.models.pair_scorer import OnnxPairScorer
from retrieval.rerank_choice import open_reranker
from retrieval.settings import RetrievalSettings
from tests.fakes import make_chunk

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")
PAIRS = [
    ("年假有几天？", "工作满一年的员工年假十天。"),
    ("年假有几天？", "食堂中午开门。"),
    ("How many days of leave?", "Ten days of annual leave, as the ＨＲ rules say."),
    ("ERR_4032", "ERR_4032：余额不足。"),
    ("ERR_4032", "ERR_4033: no such account " * 30),
]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from transformers import BertConfig, BertForSequenceClassification

    folder = tmp_path_factory.mktemp("run")
    torch.manual_seed(5)
    config = BertConfig(
        vocab_size=118_319,
        type_vocab_size=1,
        pad_token_id=1,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        initializer_range=0.3,
    )
    config.num_labels = 1
    BertForSequenceClassification(config).eval().save_pretrained(folder)
    build(folder, folder, exact=True)
    return folder


def float_scores(run: Path) -> list[float]:
    from sentence_transformers import CrossEncoder
    from torch.nn import Identity

    return [float(one) for one in CrossEncoder(str(run), device="cpu").predict(PAIRS, activation_fn=Identity())]


def test_the_exact_graph_gives_what_sentence_transformers_gives(run: Path) -> None:
    (run / CROSS_ENCODER).rename(run / "int8.onnx")
    try:
        (run / EXACT_GRAPH).rename(run / CROSS_ENCODER)
        write_checksums(run, [CROSS_ENCODER])
        assert OnnxPairScorer(run).score(PAIRS) == pytest.approx(float_scores(run), abs=1e-3)
    finally:
        (run / CROSS_ENCODER).rename(run / EXACT_GRAPH)
        (run / "int8.onnx").rename(run / CROSS_ENCODER)
        write_checksums(run, [CROSS_ENCODER])


def test_the_int8_graph_gives_nearly_the_same(run: Path) -> None:
    exact, found = float_scores(run), OnnxPairScorer(run).score(PAIRS)
    # The weights are random, and so further from their rounded ones than a trained model's.
    assert np.corrcoef(exact, found)[0, 1] > 0.95
    assert np.argmax(exact) == np.argmax(found)


def test_a_pair_scores_the_same_alone_and_in_company(run: Path) -> None:
    scorer = OnnxPairScorer(run)
    assert [scorer.score([pair])[0] for pair in PAIRS] == pytest.approx(list(scorer.score(PAIRS)), abs=1e-4)


def test_a_long_passage_is_read_to_its_end(run: Path) -> None:
    scorer = OnnxPairScorer(run)
    passage = "".join(f"第{number}句话说的是别的事情。" for number in range(200)) + "年假十天。"
    pairs = scorer.fit("年假有几天？", passage)
    assert len(pairs) > 1
    assert pairs[0][1].startswith("第0句话")
    assert pairs[-1][1].endswith("年假十天。")
    for (_, one), (_, other) in pairwise(pairs):
        assert other[:10] in one


def test_traditional_chinese_reads_as_simplified(run: Path) -> None:
    scorer = OnnxPairScorer(run)
    assert scorer.fit("年假有幾天？", "員工年假十天。") == scorer.fit("年假有几天？", "员工年假十天。")


def test_the_settings_take_the_folder_for_a_model(run: Path) -> None:
    settings = RetrievalSettings(rerank="cross-encoder", rerank_model=str(run))
    reranker = open_reranker(settings)
    assert reranker is not None
    hits = [Hit(make_chunk(passage, f"c{number}"), 1.0) for number, (_, passage) in enumerate(PAIRS)]
    scores = [OnnxPairScorer(run).score([("年假有几天？", passage)])[0] for _, passage in PAIRS]
    found = reranker.rerank("年假有几天？", hits)
    assert [hit.score for hit in found] == pytest.approx(sorted(scores, reverse=True), abs=1e-4)


def test_a_run_that_is_not_finished_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FolioError, match="no trained model is there"):
        build(tmp_path, tmp_path)
