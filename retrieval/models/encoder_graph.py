"""The encoder as an ONNX graph: int8 weights, and activations rounded to 8 bits token by token as it runs.

A token's activations are rounded by a scale of their own, so a vector does not depend on what else is in the batch,
which the usual dynamic quantisation, one scale for the whole batch, cannot say of itself.
"""

from typing import Any

import numpy as np

from retrieval.models.rounding import BLOCK, by_output, in_blocks
from retrieval.models.weights import EncoderWeights

_CONTRIB = "com.microsoft"


class EncoderGraph:
    """Builds the graph node by node; `build` is the story."""

    def __init__(self, weights: EncoderWeights, *, table_bits: int = 4, exact: bool = False) -> None:
        """Prepare; `table_bits`, 4 or 8, for the word vectors; `exact` keeps all in float32, as a yardstick."""
        self._weights = weights
        self._tensors = weights.tensors
        self._table_bits = table_bits
        self._exact = exact
        self._nodes: list[Any] = []
        self._constants: dict[str, Any] = {}

    def build(self) -> Any:
        """Return the `onnx.ModelProto`.

        In: `ids` and `mask` (1 for a token, 0 for the padding behind), int64, shape (texts, tokens).
        Out: `states`, float32, shape (texts, tokens, hidden), and `sentence`, their mean under the mask brought to
        length one, float32, shape (texts, hidden).
        """
        from onnx import TensorProto, helper  # Imported late: only a build needs onnx.

        state = self._embedded()
        for layer in range(self._weights.layers):
            state = self._layer(f"{layer}.", state)
        self._node("Identity", [state], "states")
        self._pooled("states")
        shape = ["texts", "tokens"]
        hidden = self._tensors["kind"].size
        graph = helper.make_graph(
            self._nodes,
            "encoder",
            [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in ("ids", "mask")],
            [
                helper.make_tensor_value_info("sentence", TensorProto.FLOAT, ["texts", hidden]),
                helper.make_tensor_value_info("states", TensorProto.FLOAT, [*shape, hidden]),
            ],
            list(self._constants.values()),
        )
        opsets = [helper.make_opsetid("", 20), helper.make_opsetid(_CONTRIB, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10, producer_name="folio")

    def _embedded(self) -> str:
        from onnx import TensorProto

        self._node("Cast", ["mask"], "ones", to=TensorProto.INT32)
        self._node("ReduceSum", ["ones", self._ints("one", 1)], "lengths", keepdims=0)
        self._word_rows()
        self._node("Shape", ["ids"], "longest", start=1, end=2)
        # The kind of text is one and the same for every token, so its row goes into the positions.
        positions = self._constant("position_table", self._tensors["positions"] + self._tensors["kind"])
        self._node("Slice", [positions, self._ints("zero", 0), "longest", self._ints("zero", 0)], "positions")
        self._node("Add", ["words", "positions"], "embedded")
        parts = self._norm("norm")
        return self._node("LayerNormalization", ["embedded", *parts], "state", epsilon=self._weights.epsilon)

    def _word_rows(self) -> None:
        from onnx import TensorProto

        table = self._tensors["words"]
        if self._exact:
            self._node("Gather", [self._constant("word_table", table), "ids"], "words")
            return
        stored, scales = in_blocks(table, self._table_bits)
        inputs = [self._constant("word_table", stored), "ids", self._constant("word_scales", scales.astype(np.float16))]
        self._node(
            "GatherBlockQuantized",
            inputs,
            "words16",
            domain=_CONTRIB,
            block_size=BLOCK,
            bits=self._table_bits,
            gather_axis=0,
            quantize_axis=1,
        )
        self._node("Cast", ["words16"], "words", to=TensorProto.FLOAT)

    def _layer(self, at: str, state: str) -> str:
        # One product for the three: the state is rounded once.
        parts = [at + name for name in ("query", "key", "value")]
        weight, bias = (np.concatenate([self._tensors[f"{part}.{of}"] for part in parts]) for of in ("weight", "bias"))
        self._product(at + "heads", state, weight)
        self._node("Split", [at + "heads"], *parts, axis=2, num_outputs=3)
        context = self._node(
            "MultiHeadAttention",
            [*parts, self._constant(at + "heads.bias", bias), "lengths"],
            at + "context",
            domain=_CONTRIB,
            num_heads=self._weights.heads,
        )
        state = self._added(at, "attention", context, state)
        inner = self._product(at + "inner", state, self._tensors[at + "inner.weight"])
        active = self._node("BiasGelu", [inner, self._tensor(at + "inner.bias")], at + "active", domain=_CONTRIB)
        return self._added(at, "outer", active, state)

    def _added(self, at: str, name: str, change: str, state: str) -> str:
        self._product(at + name, change, self._tensors[f"{at}{name}.weight"])
        norm = at + ("norm" if name == "outer" else "attention_norm")
        return self._node(
            "SkipLayerNormalization",
            [state, at + name, *self._norm(norm), self._tensor(f"{at}{name}.bias")],
            norm,
            domain=_CONTRIB,
            epsilon=self._weights.epsilon,
        )

    def _product(self, name: str, state: str, weight: Any) -> str:
        if self._exact:
            return self._node("MatMul", [state, self._constant(name + ".table", weight.T)], name)
        unit = self._constant("unit", np.array(1, dtype=np.float32))
        middle = self._constant("middle", np.array(128, dtype=np.uint8))
        self._node("Abs", [state], name + ".size")
        self._node("ReduceMax", [name + ".size", self._ints("last", -1)], name + ".largest", keepdims=1)
        steps = self._constant("steps", np.array(127, dtype=np.float32))
        self._node("Div", [name + ".largest", steps], name + ".step")
        # A token of nothing but zeros has no scale of its own.
        tiny = self._constant("tiny", np.array(1e-12, dtype=np.float32))
        self._node("Max", [name + ".step", tiny], name + ".scale")
        self._node("Div", [state, name + ".scale"], name + ".stepped")
        self._node("QuantizeLinear", [name + ".stepped", unit, middle], name + ".rounded")
        stored, scales = by_output(weight)
        table, outputs = self._constant(name + ".table", stored), self._constant(name + ".scales", scales)
        inputs = [name + ".rounded", table, unit, outputs, middle]
        self._node("MatMulIntegerToFloat", inputs, name + ".product", domain=_CONTRIB)
        return self._node("Mul", [name + ".product", name + ".scale"], name)

    def _pooled(self, states: str) -> None:
        from onnx import TensorProto

        self._node("Cast", ["mask"], "shares", to=TensorProto.FLOAT)
        self._node("Unsqueeze", ["shares", self._ints("one", 1)], "row")
        self._node("MatMul", ["row", states], "sum_row")
        # Mean and sum have one direction, and only the direction is kept.
        self._node("Squeeze", ["sum_row", self._ints("one", 1)], "sum")
        self._node("LpNormalization", ["sum"], "sentence", axis=1, p=2)

    def _node(self, kind: str, inputs: list[str], *outputs: str, domain: str = "", **attributes: Any) -> str:
        from onnx import helper

        self._nodes.append(helper.make_node(kind, inputs, list(outputs), name=outputs[0], domain=domain, **attributes))
        return outputs[0]

    def _norm(self, name: str) -> list[str]:
        return [self._tensor(f"{name}.{part}") for part in ("weight", "bias")]

    def _tensor(self, name: str) -> str:
        return self._constant(name, self._tensors[name])

    def _ints(self, name: str, value: int) -> str:
        return self._constant(f"{name}_index", np.array([value], dtype=np.int64))

    def _constant(self, name: str, values: Any) -> str:
        from onnx import numpy_helper

        if name not in self._constants:
            self._constants[name] = numpy_helper.from_array(np.ascontiguousarray(values).reshape(values.shape), name)
        return name
