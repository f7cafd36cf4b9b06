"""A real cross-encoder of a few hundred numbers: it reads passages whole, and a model of another kind is refused."""

import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from retrieval.models.local import ModelError
from retrieval.rerank.cross_encoder import CrossEncoderReranker, CrossEncoderScorer, load_cross_encoder
from tests.retrieval.rerank.test_rerank import hits_of
from tests.retrieval.tiny_models import LIMIT, save_model

pytestmark = pytest.mark.models
QUESTION = "津贴是多少"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("sentence_transformers")
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def tiny(folder: Path) -> str:
    return save_model(folder / "reranker", "BertForSequenceClassification", num_labels=1)


@pytest.fixture(scope="module")
def scorer(tiny: str) -> CrossEncoderScorer:
    return load_cross_encoder(tiny)


def _independent(name: str, pairs: list[tuple[str, str]]) -> list[float]:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokenizer, model = AutoTokenizer.from_pretrained(name), AutoModelForSequenceClassification.from_pretrained(name)
    with torch.no_grad():
        outputs: list[float] = [float(model(**tokenizer(*pair, return_tensors="pt")).logits) for pair in pairs]
    return outputs


def test_scores_are_the_raw_outputs_of_the_model(scorer: CrossEncoderScorer, tiny: str) -> None:
    pairs = [(QUESTION, "津贴三百元。"), (QUESTION, "年假十天，试用期员工是十天。"), ("年假", "背景说明")]
    assert scorer.score(pairs) == pytest.approx(_independent(tiny, pairs), abs=1e-6)


def test_a_long_passage_is_scored_by_its_best_window(scorer: CrossEncoderScorer, tiny: str) -> None:
    passage = "背景说明。" * 30 + "津贴是三百元。"
    pairs = scorer.fit(QUESTION, passage)
    assert {question for question, _ in pairs} == {QUESTION}
    assert pairs[0][1].startswith("背景")
    assert pairs[-1][1].endswith("津贴是三百元。")
    assert all(len(question) + len(piece) + 3 <= LIMIT for question, piece in pairs)
    assert all(first[-8:] in second for (_, first), (_, second) in pairwise(pairs))
    hits = CrossEncoderReranker(tiny).rerank(QUESTION, hits_of(passage))
    windows = scorer.fit(QUESTION, hits[0].chunk.search_text)
    assert hits[0].score == pytest.approx(max(_independent(tiny, windows)), abs=1e-6)


@pytest.mark.parametrize(
    ("architecture", "config", "message"),
    [
        ("BertModel", {}, r"is not a reranker \(it is saved as BertModel\)"),
        ("BertForSequenceClassification", {"num_labels": 3}, "gives 3 scores a pair, and a reranker gives one"),
    ],
)
def test_a_model_of_another_kind_is_refused(
    folder: Path, architecture: str, config: dict[str, Any], message: str
) -> None:
    name = save_model(folder / f"{architecture}{len(config)}", architecture, **config)
    with pytest.raises(ModelError, match=message) as refused:
        CrossEncoderReranker(name).rerank(QUESTION, hits_of("年假"))
    assert str(refused.value).startswith(f"FOLIO_RERANK_MODEL={name} ")


@pytest.mark.parametrize("make", [False, True], ids=["no folder", "empty folder"])
def test_a_model_that_is_not_there_is_one_line(folder: Path, make: bool) -> None:
    path = folder / f"nothing{make}"
    if make:
        path.mkdir()
    with pytest.raises(ModelError, match=r"^FOLIO_RERANK_MODEL=.+ cannot be loaded \(.+\): give a folder") as refused:
        load_cross_encoder(str(path))
    assert "\n" not in str(refused.value)


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ModelError) as refused:
        load_cross_encoder("a/b")
    assert str(refused.value) == "FOLIO_RERANK_MODEL=a/b needs the extra: pip install 'folio[models]'"
