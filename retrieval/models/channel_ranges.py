"""How great each channel of the encoder's states grows, seen on sequences of random pieces.

A few channels of a trained encoder are far greater than the rest whatever the text says. Random pieces show which,
as well as real sentences do, and so nothing is tuned to any text.
"""

import numpy as np

from preprocessing.telemetry import disable_telemetry
from retrieval.models.encoder_graph import EncoderGraph
from retrieval.models.weights import EncoderWeights, Floats

_SEQUENCES, _TOKENS, _SEED = 16, 64, 1


def channel_ranges(weights: EncoderWeights) -> dict[str, Floats]:
    """Return for each state that goes into a product the greatest magnitude of its channels, float32 (hidden,)."""
    disable_telemetry()
    # Imported late: only a build and a search need it.
    from onnxruntime import InferenceSession

    graph = EncoderGraph(weights)
    names = graph.states()
    session = InferenceSession(graph.build(outputs=names).SerializeToString(), providers=["CPUExecutionProvider"])
    ids = np.random.default_rng(_SEED).integers(4, len(weights.pieces), (_SEQUENCES, _TOKENS))
    ids[:, 0], ids[:, -1] = 0, 2
    found = session.run(names, {"ids": ids, "mask": np.ones_like(ids)})
    return {name: np.abs(state).max(axis=(0, 1)) for name, state in zip(names, found, strict=True)}
