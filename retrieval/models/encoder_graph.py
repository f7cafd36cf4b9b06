"""The encoder as an ONNX graph, in float32 as the yardstick or with int8 products as it is used."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from retrieval.models.graph_nodes import CONTRIB, GraphNodes
from retrieval.models.int8_product import add_int8_product
from retrieval.models.rounding import BLOCK, in_blocks
from retrieval.models.weights import EncoderWeights, Floats

_OUTER_GROUPS = 4
"""The widest product has four times as many inputs as the others, and gets as many groups of scales."""


class EncoderGraph:
    """Builds the graph from the inputs to the outputs; `build` is the story."""

    def __init__(
        self, weights: EncoderWeights, ranges: Mapping[str, Floats] | None = None, *, table_bits: int = 4
    ) -> None:
        """Prepare: float32, or int8 where `ranges` says how great each of `states()` grows.

        `table_bits`, 4 or 8, are those of the word vectors.
        """
        self._weights = weights
        self._tensors = weights.tensors
        self._ranges = ranges
        self._table_bits = table_bits
        self._graph = GraphNodes()

    def states(self) -> list[str]:
        """Return the names of the normalised states that go into products."""
        layers = range(self._weights.layers)
        return ["state", *(f"{n}.attention_norm" for n in layers), *(f"{n}.norm" for n in layers[:-1])]

    def build(self, outputs: Sequence[str] = ("sentence", "states")) -> Any:
        """Return the `onnx.ModelProto`.

        In: `ids` and `mask` (1 for a token, 0 for the padding behind), int64, shape (texts, tokens).
        Out: `states`, float32, shape (texts, tokens, hidden), and `sentence`, their mean under the mask brought to
        length one, float32, shape (texts, hidden); or whichever of the graph's values `outputs` names.
        """
        from onnx import TensorProto, helper  # Imported late: only a build needs onnx.

        state = self._embedded()
        for layer in range(self._weights.layers):
            state = self._layer(f"{layer}.", state)
        self._graph.node("Identity", [state], "states")
        self._pooled("states")
        shape = ["texts", "tokens"]
        hidden = self._tensors["kind"].size
        sizes: dict[str, list[str | int]] = {name: [*shape, hidden] for name in outputs}
        sizes["sentence"] = ["texts", hidden]
        graph = helper.make_graph(
            self._graph.nodes,
            "encoder",
            [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in ("ids", "mask")],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, sizes[name]) for name in outputs],
            self._graph.constants,
        )
        opsets = [helper.make_opsetid("", 20), helper.make_opsetid(CONTRIB, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10, producer_name="folio")

    def _embedded(self) -> str:
        from onnx import TensorProto

        graph = self._graph
        graph.node("Cast", ["mask"], "ones", to=TensorProto.INT32)
        graph.node("ReduceSum", ["ones", graph.indices(1)], "lengths", keepdims=0)
        self._word_rows()
        graph.node("Shape", ["ids"], "longest", start=1, end=2)
        # The kind of text is one and the same for every token, so its row goes into the positions.
        table = graph.constant("position_table", self._tensors["positions"] + self._tensors["kind"])
        graph.node("Slice", [table, graph.indices(0), "longest", graph.indices(0)], "positions")
        graph.node("Add", ["words", "positions"], "embedded")
        inputs = ["embedded", *self._norm("norm")]
        return graph.node("LayerNormalization", inputs, "state", epsilon=self._weights.epsilon)

    def _word_rows(self) -> None:
        from onnx import TensorProto

        table = self._tensors["words"]
        if self._ranges is None:
            self._graph.node("Gather", [self._graph.constant("word_table", table), "ids"], "words")
            return
        stored, scales = in_blocks(table, self._table_bits)
        stored_name = self._graph.constant("word_table", stored)
        scales_name = self._graph.constant("word_scales", scales.astype(np.float16))
        self._graph.node(
            "GatherBlockQuantized",
            [stored_name, "ids", scales_name],
            "words16",
            domain=CONTRIB,
            block_size=BLOCK,
            bits=self._table_bits,
            gather_axis=0,
            quantize_axis=1,
        )
        self._graph.node("Cast", ["words16"], "words", to=TensorProto.FLOAT)

    def _layer(self, at: str, state: str) -> str:
        # One product for the three: the state is rounded once.
        parts = [at + name for name in ("query", "key", "value")]
        weight, bias = (np.concatenate([self._tensors[f"{part}.{of}"] for part in parts]) for of in ("weight", "bias"))
        self._product(at + "heads", state, weight)
        self._graph.node("Split", [at + "heads"], *parts, axis=2, num_outputs=3)
        context = self._graph.node(
            "MultiHeadAttention",
            [*parts, self._graph.constant(at + "heads.bias", bias), "lengths"],
            at + "context",
            domain=CONTRIB,
            num_heads=self._weights.heads,
        )
        state = self._added(at + "attention", context, state, at + "attention_norm")
        inner = self._product(at + "inner", state, self._tensors[at + "inner.weight"])
        active = self._graph.node("BiasGelu", [inner, self._tensor(at + "inner.bias")], at + "active", domain=CONTRIB)
        return self._added(at + "outer", active, state, at + "norm", groups=_OUTER_GROUPS)

    def _added(self, name: str, change: str, state: str, norm: str, groups: int = 1) -> str:
        self._product(name, change, self._tensors[name + ".weight"], groups)
        inputs = [state, name, *self._norm(norm), self._tensor(name + ".bias")]
        return self._graph.node("SkipLayerNormalization", inputs, norm, domain=CONTRIB, epsilon=self._weights.epsilon)

    def _product(self, name: str, state: str, weight: Floats, groups: int = 1) -> str:
        if self._ranges is None:
            return self._graph.node("MatMul", [state, self._graph.constant(name + ".table", weight.T)], name)
        ranges = self._ranges.get(state)
        return add_int8_product(self._graph, name, state, weight, ranges=ranges, groups=groups)

    def _pooled(self, states: str) -> None:
        from onnx import TensorProto

        graph = self._graph
        graph.node("Cast", ["mask"], "shares", to=TensorProto.FLOAT)
        graph.node("Unsqueeze", ["shares", graph.indices(1)], "row")
        graph.node("MatMul", ["row", states], "sum_row")
        # Mean and sum have one direction, and only the direction is kept.
        graph.node("Squeeze", ["sum_row", graph.indices(1)], "sum")
        graph.node("LpNormalization", ["sum"], "sentence", axis=1, p=2)

    def _norm(self, name: str) -> list[str]:
        return [self._tensor(f"{name}.{part}") for part in ("weight", "bias")]

    def _tensor(self, name: str) -> str:
        return self._graph.constant(name, self._tensors[name])
