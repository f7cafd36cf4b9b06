"""The growing parts of an ONNX graph: nodes, and constants each kept once."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

CONTRIB = "com.microsoft"
"""ONNX Runtime's own operators."""


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
        from onnx import helper  # Imported late: only a build needs onnx.

        self.nodes.append(helper.make_node(kind, inputs, list(outputs), name=outputs[0], domain=domain, **attributes))
        return outputs[0]

    def constant(self, name: str, values: NDArray[Any]) -> str:
        """Add a constant, if it is not there yet, and return its name."""
        from onnx import numpy_helper

        if name not in self._constants:
            self._constants[name] = numpy_helper.from_array(np.ascontiguousarray(values).reshape(values.shape), name)
        return name

    def number(self, name: str, value: float) -> str:
        """Add a float32 scalar and return its name."""
        return self.constant(name, np.array(value, dtype=np.float32))

    def indices(self, *values: int) -> str:
        """Add a list of int64 and return its name."""
        return self.constant("at_" + "_".join(map(str, values)), np.array(values, dtype=np.int64))
