"""A matrix product in int8 whose activations are rounded as the model runs, each token by a scale of its own.

So a vector does not depend on what else is in the batch, which the usual dynamic quantisation, with one scale for the
whole batch, cannot say of itself.
"""

import numpy as np

from retrieval.models.graph_nodes import CONTRIB, GraphNodes
from retrieval.models.rounding import by_output
from retrieval.models.weights import Floats

_MIDDLE, _STEPS = 128, 127


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
