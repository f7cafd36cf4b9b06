"""The model to be trained reads a text as the ONNX graph of the same weights does."""

import numpy as np
import pytest

from retrieval.models.encoder_graph import EncoderGraph
from retrieval.models.torch_encoder import classifier
from retrieval.models.weights import EncoderWeights, Floats

HIDDEN, INNER, LAYERS, PIECES, POSITIONS = 8, 16, 2, 20, 16


def random_weights() -> EncoderWeights:
    generator = np.random.default_rng(3)

    def random(*shape: int) -> Floats:
        return generator.standard_normal(shape, dtype=np.float32)

    tensors = {
        "words": random(PIECES, HIDDEN),
        "positions": random(POSITIONS, HIDDEN),
        "kind": random(HIDDEN),
        "norm.weight": random(HIDDEN),
        "norm.bias": random(HIDDEN),
    }
    for layer in range(LAYERS):
        for part in ("query", "key", "value", "attention"):
            tensors[f"{layer}.{part}.weight"] = random(HIDDEN, HIDDEN)
        tensors[f"{layer}.inner.weight"] = random(INNER, HIDDEN)
        tensors[f"{layer}.outer.weight"] = random(HIDDEN, INNER)
        tensors[f"{layer}.inner.bias"] = random(INNER)
        for part in ("attention_norm", "norm"):
            tensors[f"{layer}.{part}.weight"] = random(HIDDEN)
        for part in ("query", "key", "value", "attention", "attention_norm", "outer", "norm"):
            tensors[f"{layer}.{part}.bias"] = random(HIDDEN)
    pieces = [(f"piece {number}", -float(number)) for number in range(PIECES)]
    return EncoderWeights(tensors, pieces, layers=LAYERS, heads=2, epsilon=1e-5)


def test_states_are_those_of_the_graph() -> None:
    torch = pytest.importorskip("torch")
    onnxruntime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    weights = random_weights()
    ids = np.array([[0, 5, 7, 9, 2], [0, 6, 2, 1, 1]], dtype=np.int64)
    mask = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]], dtype=np.int64)
    session = onnxruntime.InferenceSession(
        EncoderGraph(weights).build().SerializeToString(), providers=["CPUExecutionProvider"]
    )
    (expected,) = session.run(["states"], {"ids": ids, "mask": mask})
    model = classifier(weights).eval()
    with torch.no_grad():
        found = model.bert(input_ids=torch.from_numpy(ids), attention_mask=torch.from_numpy(mask)).last_hidden_state
        scores = model(input_ids=torch.from_numpy(ids), attention_mask=torch.from_numpy(mask)).logits
    is_text = mask.astype(bool)
    np.testing.assert_allclose(found.numpy()[is_text], expected[is_text], atol=1e-4)
    assert scores.shape == (2, 1)
